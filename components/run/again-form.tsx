"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { pressForm } from "@/components/ui/press-form";
import { useErrorText } from "@/components/ui/words/use-error-text";

interface AgainFormProps {
  title: string;
  /** On the button that starts it. */
  action: string;
  isOff?: boolean;
  /** What is wrong with the fields, in words. */
  check?(): string | undefined;
  /** Starts it, and resolves with the address of what becomes of it. */
  start(): Promise<string>;
  onClose(): void;
  hint?: string;
  children: ReactNode;
}

/** The fields of one way to run again, with what sends them, once at a time, and what the server says against them. */
export function AgainForm(props: AgainFormProps) {
  const { title, action, isOff = false, check, start, onClose, hint, children } = props;
  const common = useTranslations("common");
  const go = useGo();
  const errorText = useErrorText();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFieldSetElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select")?.focus(), []);
  const submit = async () => {
    if (isSending || isOff) return;
    const problem = check?.();
    setError(problem);
    if (problem !== undefined) return;
    setSending(true);
    try {
      go(await start());
    } catch (cause) {
      setError(errorText(cause));
      setSending(false);
    }
  };
  return (
    <fieldset
      ref={form}
      className="mt-2 mb-3 max-w-(--measure) space-y-3 py-3 text-mach shadow-[inset_0_1px_var(--ink),inset_0_-1px_var(--rule)]"
      onKeyDown={(event) => pressForm(event, () => void submit(), onClose)}
    >
      <legend className="sr-only">{title}</legend>
      {children}
      {error && (
        <p role="alert" className="text-shu">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          tone="ink"
          keys="Mod+Enter"
          aria-busy={isSending}
          disabled={isOff}
          onClick={() => void submit()}
        >
          {action}
        </Button>
        <Button keys="Escape" onClick={onClose}>
          {common("cancel")}
        </Button>
      </div>
      {hint && <p className="meta">{hint}</p>}
    </fieldset>
  );
}
