"use client";

import { useTranslations } from "use-intl";
import { Field, TextArea } from "@/components/ui/field";
import type { EntryDraft } from "./entry-draft";

export interface EntryFieldsProps {
  draft: EntryDraft;
  onChange(draft: EntryDraft): void;
  wrong(field: keyof EntryDraft): string | undefined;
  /** Whether it came from the server with its secrets hidden. */
  masked: boolean;
}

export function EntryFields({ draft, onChange, wrong, masked }: EntryFieldsProps) {
  const t = useTranslations("settings.servers.form");
  const bind = (field: Exclude<keyof EntryDraft, "kind">) => ({
    value: draft[field],
    error: wrong(field),
    autoComplete: "off",
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [field]: event.target.value }),
  });
  return (
    <>
      <fieldset>
        <legend className="mb-1 text-mach text-ink-2">{t("kind")}</legend>
        <div className="flex flex-wrap gap-2">
          {(["stdio", "http"] as const).map((kind) => (
            <label key={kind} className="choice">
              <input
                type="radio"
                className="sr-only"
                name="kind"
                checked={draft.kind === kind}
                onChange={() => onChange({ ...draft, kind })}
              />
              {t(kind)}
            </label>
          ))}
        </div>
      </fieldset>
      {draft.kind === "stdio" ? (
        <>
          <Field label={t("command")} hint={t("commandHint")} mono {...bind("command")} />
          <TextArea
            label={t("env")}
            hint={masked && draft.env ? `${t("envHint")} ${t("masked")}` : t("envHint")}
            mono
            rows={3}
            {...bind("env")}
          />
          <Field label={t("cwd")} hint={t("cwdHint")} mono {...bind("cwd")} />
        </>
      ) : (
        <>
          <Field label={t("url")} type="url" inputMode="url" mono placeholder="https://" {...bind("url")} />
          <TextArea
            label={t("headers")}
            hint={masked && draft.headers ? `${t("headersHint")} ${t("masked")}` : t("headersHint")}
            mono
            rows={3}
            {...bind("headers")}
          />
        </>
      )}
      <Field
        label={t("timeout")}
        inputMode="numeric"
        placeholder="60"
        {...bind("timeout")}
        className="max-w-60"
      />
    </>
  );
}
