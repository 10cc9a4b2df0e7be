"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { fieldClass } from "@/components/ui/controls/field";
import { assistantLimits } from "@/lib/protocol/assistants";

export interface ExampleFieldsProps {
  examples: readonly string[];
  error: string | undefined;
  onChange(examples: string[]): void;
}

/** One field for each question to begin with, and an empty one for the next. */
export function ExampleFields({ examples, error, onChange }: ExampleFieldsProps) {
  const t = useTranslations("settings.assistants");
  const id = useId();
  const fields = examples.length < assistantLimits.examples ? [...examples, ""] : examples;
  const write = (at: number, text: string) => {
    const next = fields.map((before, index) => (index === at ? text : before));
    // Empty ones at the end are the next one.
    while (next.at(-1) === "") next.pop();
    onChange(next);
  };
  return (
    <fieldset aria-describedby={error ? `${id}-note` : undefined}>
      <legend className="mb-1 text-mach text-ink-2">{t("examples")}</legend>
      <div className="grid gap-2">
        {fields.map((text, at) => (
          <input
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a field is
            key={at}
            className={fieldClass()}
            aria-label={t("example", { number: at + 1 })}
            placeholder={at === examples.length ? t("nextExample") : undefined}
            autoComplete="off"
            maxLength={assistantLimits.example}
            value={text}
            onChange={({ target }) => write(at, target.value)}
          />
        ))}
      </div>
      {error && (
        <p id={`${id}-note`} role="alert" className="mt-1 text-mach text-shu">
          {error}
        </p>
      )}
    </fieldset>
  );
}
