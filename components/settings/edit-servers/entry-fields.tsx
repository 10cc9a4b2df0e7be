"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { NumberRow } from "@/components/settings/form-row";
import { Choice, type ChoiceProps } from "@/components/ui/controls/choice";
import { Field, TextArea } from "@/components/ui/controls/field";
import type { EntryDraft } from "./entry-draft";

const kinds = ["stdio", "http"] as const;
/** Who chooses members alone does not have the server any more: that is written as JSON. */
const audiences = ["all", "admin"] as const;
const scopes = ["shared", "user"] as const;

export interface EntryFieldsProps {
  draft: EntryDraft;
  onChange(draft: EntryDraft): void;
  wrong(field: keyof EntryDraft): string | undefined;
  /** Whether it came from the server with its secrets hidden. */
  masked: boolean;
  /** It is reached at a url, and nothing of it runs on this machine. */
  isRemote: boolean;
  /** Whether several people use this installation. */
  hasPeople: boolean;
}

export function EntryFields({ draft, onChange, wrong, masked, isRemote, hasPeople }: EntryFieldsProps) {
  const t = useTranslations("settings.servers.form");
  const bind = (field: Exclude<keyof EntryDraft, "kind" | "roles" | "scope">) => ({
    value: draft[field],
    error: wrong(field),
    autoComplete: "off",
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [field]: event.target.value }),
  });
  return (
    <>
      {!isRemote && (
        <div className="rule-t">
          <ChoiceRow
            label={t("kind")}
            options={kinds.map((value) => ({ value, label: t(value) }))}
            value={draft.kind}
            onChange={(kind) => onChange({ ...draft, kind })}
          />
        </div>
      )}
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
      <NumberRow label={t("timeout")} placeholder="60" {...bind("timeout")} />
      {hasPeople && (
        <div>
          {draft.kind === "stdio" && (
            <ChoiceRow
              label={t("scope")}
              hint={t("scopeHint")}
              options={scopes.map((value) => ({ value, label: t(`process.${value}`) }))}
              value={draft.scope}
              onChange={(scope) => onChange({ ...draft, scope })}
            />
          )}
          <ChoiceRow
            label={t("roles")}
            options={[...audiences, ...(draft.roles === "member" ? (["member"] as const) : [])].map(
              (value) => ({ value, label: t(`role.${value}`) }),
            )}
            value={draft.roles}
            onChange={(roles) => onChange({ ...draft, roles })}
          />
        </div>
      )}
    </>
  );
}

function ChoiceRow<Value extends string>({ hint, ...choice }: { hint?: string } & ChoiceProps<Value>) {
  const note = useId();
  return (
    <div className="rule-b text-mach">
      <div className="flex flex-wrap items-center justify-between gap-x-6">
        <span aria-hidden="true" className="py-2">
          {choice.label}
        </span>
        <Choice {...choice} {...(hint && { describedBy: note })} />
      </div>
      {hint && (
        <p id={note} className="pb-2 text-micro text-ink-3">
          {hint}
        </p>
      )}
    </div>
  );
}
