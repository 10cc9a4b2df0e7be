"use client";

import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import type { ShareFinding } from "@/lib/client/settings/shares";
import type { Look } from "./use-look";

export interface ShareChoices {
  expiry: "never" | "day" | "week" | "month";
  /** What happens to what looks like a secret. */
  secrets: "redact" | "accept";
}

export interface ShareOptionsProps {
  look: Look;
  choices: ShareChoices;
  onChange(choices: ShareChoices): void;
}

/** What would be public in words, what in it looks like a secret, and when the link ends. */
export function ShareOptions({ look: { preview, findings }, choices, onChange }: ShareOptionsProps) {
  const t = useTranslations("share");
  const questions = preview.messages.filter(({ role, runId }) => role === "user" && runId === null).length;
  const calls = preview.messages.flatMap((message) =>
    message.role === "assistant" ? message.parts.filter(({ type }) => type === "tool_call") : [],
  ).length;
  return (
    <div className="grid gap-4 text-mach">
      <p className="text-ink-2">{t("public", { questions, calls })}</p>
      {findings.length > 0 && (
        <fieldset className="bg-shu-wash px-3 py-2 shadow-[inset_0_2px_var(--shu)]">
          <legend className="float-left mb-1 w-full font-semibold text-shu">
            {t("findings", { count: findings.length })}
          </legend>
          <Findings findings={findings} />
          {(["redact", "accept"] as const).map((secrets) => (
            <label key={secrets} className="flex min-h-7 cursor-pointer items-center gap-2 phone:min-h-11">
              <input
                type="radio"
                name="secrets"
                checked={choices.secrets === secrets}
                onChange={() => onChange({ ...choices, secrets })}
              />
              {t(secrets === "redact" ? "findingsRedact" : "findingsAccept")}
            </label>
          ))}
        </fieldset>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 rule-y">
        <span aria-hidden="true" className="py-2">
          {t("ends")}
        </span>
        <Choice
          label={t("ends")}
          options={expiries.map((value) => ({ value, label: t(`expiry.${value}`) }))}
          value={choices.expiry}
          onChange={(expiry) => onChange({ ...choices, expiry })}
        />
      </div>
    </div>
  );
}

const expiries = ["never", "day", "week", "month"] as const;

/** The first of them, each by its kind and its beginning. */
export function Findings({ findings }: { findings: readonly ShareFinding[] }) {
  return (
    <p className="clear-both mb-2">
      {findings.slice(0, 8).map(({ kind, excerpt }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings have no identity
        <span key={at} className="mr-3 inline-block">
          {kind} <code className="text-[12px]">{excerpt}</code>
        </span>
      ))}
    </p>
  );
}
