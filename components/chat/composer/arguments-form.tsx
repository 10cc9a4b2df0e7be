"use client";

import { useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";

const debounceMs = 250;

export interface FormField {
  name: string;
  description: string | null;
  required: boolean;
}

export interface ArgumentsFormProps {
  title: string;
  description: string | null;
  fields: readonly FormField[];
  submitLabel: string;
  busy: boolean;
  failure: string | null;
  /** Values that fit what is typed. */
  complete(name: string, value: string, others: Record<string, string>): Promise<readonly string[]>;
  onSubmit(values: Record<string, string>): void;
  /** Where the form can be left. */
  onCancel?(): void;
}

/** The arguments of a prompt, or what goes into the address of a resource; what the server suggests comes while one types. */
export default function ArgumentsForm(props: ArgumentsFormProps) {
  const t = useTranslations("chat.library");
  const { title, description, fields, busy, failure, onCancel } = props;
  const [values, setValues] = useState<Record<string, string>>({});
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  return (
    <form
      ref={form}
      aria-label={title}
      className="mb-2 grid max-h-[50vh] gap-2 overflow-y-auto rounded-control border border-rule bg-paper px-3.5 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit(given);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !onCancel) return;
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <p>
        <b className="font-semibold">{title}</b> {description && <span className="meta">{description}</span>}
      </p>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          complete={(value) => props.complete(field.name, value, given)}
          onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      {failure && (
        <p className="meta" role="alert">
          {failure}
        </p>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Button type="submit" tone="ink" disabled={busy} aria-busy={busy}>
          {props.submitLabel}
        </Button>
        {onCancel && (
          <Button tone="quiet" onClick={onCancel}>
            {t("cancel")}
          </Button>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  field: FormField;
  value: string;
  complete(value: string): Promise<readonly string[]>;
  onChange(value: string): void;
}

function Field({ field: { name, description, required }, value, complete, onChange }: FieldProps) {
  const id = useId();
  const [fitting, setFitting] = useState<readonly string[]>([]);
  const [touched, setTouched] = useState(false);
  const ask = useRef(complete);
  ask.current = complete;
  useEffect(() => {
    if (!touched) return;
    let isOld = false;
    const timer = setTimeout(async () => {
      const found = await ask.current(value);
      if (!isOld) setFitting(found);
    }, debounceMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [value, touched]);
  return (
    <div className="grid grid-cols-[9rem_1fr] items-center gap-x-3 gap-y-0.5">
      <label htmlFor={id} className="font-mono text-mach/6 wrap-anywhere">
        {name}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      <input
        id={id}
        className="field w-full"
        value={value}
        required={required}
        list={`${id}-values`}
        autoComplete="off"
        maxLength={10_000}
        aria-describedby={description ? `${id}-about` : undefined}
        onFocus={() => setTouched(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`${id}-values`}>
        {fitting.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {description && (
        <span id={`${id}-about`} className="col-start-2 meta">
          {description}
        </span>
      )}
    </div>
  );
}
