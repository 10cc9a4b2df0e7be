"use client";

import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { FormRow, NumberRow } from "@/components/settings/form-row";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Switch } from "@/components/ui/controls/switch";
import { notify } from "@/components/ui/toast";
import { changeSettings } from "@/lib/client/settings/settings";
import type { RunLimits } from "@/lib/protocol/run-limits";
import { runLimits } from "@/lib/protocol/run-limits";
import { fromDraft, type LimitName, type LimitsDraft, limitFields, toDraft } from "./limits-draft";

/** What holds for every answer that starts from now on. */
export function LimitsForm({ limits }: { limits: RunLimits }) {
  const t = useTranslations("settings.limits");
  const act = useAct();
  const [draft, setDraft] = useState(() => toDraft(limits));
  const [wrong, setWrong] = useState<LimitName | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const read = fromDraft(draft);
    setWrong("wrong" in read ? read.wrong : null);
    if ("wrong" in read) return;
    if (await act(() => changeSettings({ limits: read.limits }))) notify(t("saved"));
  };
  const row = (name: LimitName) => (
    <LimitRow
      key={name}
      name={name}
      value={draft[name]}
      isWrong={wrong === name}
      onChange={(text) => setDraft((before: LimitsDraft) => ({ ...before, [name]: text }))}
    />
  );
  return (
    <form onSubmit={submit} noValidate>
      <Section title={t("runs")}>
        {(["iterations", "minutes", "first", "between", "tool"] as const).map(row)}
        <FormRow label={t("sequential")} hint={t("sequentialHint")}>
          {({ id, described }) => (
            <Switch
              id={id}
              label={t("sequential")}
              checked={draft.sequential}
              onChange={(sequential) => setDraft((before: LimitsDraft) => ({ ...before, sequential }))}
              {...described}
            />
          )}
        </FormRow>
      </Section>
      <Section title={t("budget")} note={t("budgetLede")}>
        {(["tokens", "toolCalls", "cost", "budgetMinutes"] as const).map(row)}
        <div className="mt-4 flex justify-end">
          <Button tone="ink" type="submit">
            {t("save")}
          </Button>
        </div>
      </Section>
    </form>
  );
}

interface LimitRowProps {
  name: LimitName;
  value: string;
  isWrong: boolean;
  onChange(text: string): void;
}

function LimitRow({ name, value, isWrong, onChange }: LimitRowProps) {
  const t = useTranslations("settings.limits");
  const { min, max } = limitFields.find((field) => field.name === name) ?? { min: 0, max: undefined };
  const hint = hinted.find((known) => known === name);
  const error = max === undefined ? t("amount") : t("whole", { min, max });
  return (
    <NumberRow
      label={t(name)}
      hint={hint && t(`${hint}Hint`, defaults)}
      error={isWrong ? error : undefined}
      placeholder={placeholders[name]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** What holds where a field is empty. */
const defaults = {
  loops: runLimits.chat.maxIterations,
  minutes: runLimits.chat.timeoutMs / 60_000,
  agentMinutes: runLimits.agent.timeoutMs / 60_000,
  seconds: runLimits.chat.firstTokenMs / 1_000,
};

const placeholders: Partial<Record<LimitName, string>> = {
  iterations: String(defaults.loops),
  minutes: String(defaults.minutes),
  first: String(defaults.seconds),
  between: String(defaults.seconds),
};

const hinted = ["iterations", "minutes", "first", "between", "tool", "cost"] as const;
