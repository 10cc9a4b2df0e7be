"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";

export interface EntryField<Name extends string> {
  name: Name;
  label: string;
  hint?: string;
  type: "text" | "email" | "password";
  autoComplete: string;
  /** What is in it, and cannot be changed. */
  fixed?: string;
}

export interface EntryFormProps<Name extends string> {
  title: string;
  note: ReactNode;
  /** Another way in, above the fields, which comes first then. */
  lead?: ReactNode;
  /** Another one, below the button. */
  also?: ReactNode;
  fields: readonly EntryField<Name>[];
  action: string;
  /** While it is under way. */
  acting: string;
  /** Below, after a rule. */
  foot: ReactNode;
  send(values: Record<Name, string>): Promise<void>;
}

/** A few fields and one button. What is refused is said at its field, or above the button; nothing that was typed is lost. */
export function EntryForm<Name extends string>({
  title,
  note,
  lead,
  also,
  fields,
  action,
  acting,
  foot,
  send,
}: EntryFormProps<Name>) {
  const form = useRef<HTMLFormElement>(null);
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ field: string | undefined; text: string }>();
  useEffect(() => {
    if (!failure?.field) return;
    form.current?.querySelector<HTMLInputElement>(`[name=${failure.field}]`)?.focus();
  }, [failure]);
  const submit = async (data: FormData) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const entries = fields.map(({ name }) => [name, String(data.get(name) ?? "")]);
      await send(Object.fromEntries(entries) as Record<Name, string>);
    } catch (error) {
      const named = fieldOf(error);
      const field = fields.find(({ name }) => name === named)?.name;
      setFailure({ field, text: field === undefined ? errorText(error) : withoutField(errorText(error)) });
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <h1 className="font-voice text-title">{title}</h1>
      <div className="mb-4 text-mach text-pretty text-ink-3">{note}</div>
      {lead}
      <div className="grid gap-3">
        {fields.map(({ fixed, hint, ...field }, at) => (
          <Field
            key={field.name}
            {...field}
            hint={hint}
            error={failure?.field === field.name ? failure.text : undefined}
            autoFocus={at === 0 && !lead}
            required
            {...(fixed !== undefined && { defaultValue: fixed, readOnly: true })}
          />
        ))}
      </div>
      <p role="alert" className="mt-3 text-mach text-shu empty:hidden">
        {failure && !failure.field && failure.text}
      </p>
      <Button
        type="submit"
        tone={lead ? "outline" : "ink"}
        className="mt-4 h-10 w-full justify-center"
        aria-disabled={isBusy}
      >
        {isBusy ? acting : action}
      </Button>
      {also}
      <div className="mt-6 pt-3 text-mach text-pretty text-ink-3 rule-t">{foot}</div>
    </form>
  );
}

/** It stands below its field, which is named there in the language of the page. */
function withoutField(text: string): string {
  const rest = text.replace(/^\w+: /, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The server says it first in the sentence, or in the details of a body that it does not take. */
function fieldOf(error: unknown): string | undefined {
  const { details, message } = asApiError(error);
  const { issues } = (details ?? {}) as { issues?: { path: string }[] };
  return issues?.[0]?.path.split(".")[0] ?? /^(\w+): /.exec(message)?.[1];
}
