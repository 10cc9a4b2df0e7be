"use client";

import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Switch } from "@/components/ui/switch";
import { notify } from "@/components/ui/toast";
import { changeSettings } from "@/lib/client/settings/settings";
import type { RunLimits } from "@/lib/protocol/http";
import { runLimits } from "@/lib/protocol/run-limits";
import { fromDraft, type LimitName, type LimitsDraft, limitFields, toDraft } from "./limits-draft";

/** What holds for every answer that is begun from here on. */
export function LimitsForm({ limits }: { limits: RunLimits }) {
  const t = useTranslations("settings.limits");
  const act = useAct();
  const id = useId();
  const [draft, setDraft] = useState(() => toDraft(limits));
  const [wrong, setWrong] = useState<LimitName | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const read = fromDraft(draft);
    setWrong("wrong" in read ? read.wrong : null);
    if ("wrong" in read) return;
    if (await act(() => changeSettings({ limits: read.limits }))) notify(t("saved"));
  };
  const field = (name: LimitName) => (
    <LimitField
      name={name}
      value={draft[name]}
      isWrong={wrong === name}
      onChange={(text) => setDraft((before: LimitsDraft) => ({ ...before, [name]: text }))}
    />
  );
  return (
    <form className="mt-6 grid gap-6" onSubmit={submit} noValidate>
      <Group title={t("runs")}>
        {field("iterations")}
        {field("minutes")}
        {field("first")}
        {field("between")}
        {field("tool")}
      </Group>
      <div className="flex items-center gap-3 text-mach">
        <Switch
          id={id}
          label={t("sequential")}
          checked={draft.sequential}
          onChange={(sequential) => setDraft((before: LimitsDraft) => ({ ...before, sequential }))}
        />
        <label htmlFor={id}>
          {t("sequential")}
          <small className="block text-micro text-ink-3">{t("sequentialHint")}</small>
        </label>
      </div>
      <Group title={t("budget")} lede={t("budgetLede")}>
        {field("tokens")}
        {field("toolCalls")}
        {field("cost")}
        {field("budgetMinutes")}
      </Group>
      <div>
        <Button tone="ink" type="submit">
          {t("save")}
        </Button>
      </div>
    </form>
  );
}

function Group({ title, lede, children }: { title: string; lede?: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="font-voice text-voice">{title}</legend>
      {lede && <p className="text-mach text-ink-2">{lede}</p>}
      <div className="mt-2 grid grid-cols-2 gap-4 phone:grid-cols-1">{children}</div>
    </fieldset>
  );
}

interface LimitFieldProps {
  name: LimitName;
  value: string;
  isWrong: boolean;
  onChange(text: string): void;
}

function LimitField({ name, value, isWrong, onChange }: LimitFieldProps) {
  const t = useTranslations("settings.limits");
  const { min, max } = limitFields.find((field) => field.name === name) ?? { min: 0, max: undefined };
  const hint = hinted.find((known) => known === name);
  const error = max === undefined ? t("amount") : t("whole", { min, max });
  return (
    <Field
      label={t(name)}
      hint={hint && t(`${hint}Hint`, defaults)}
      error={isWrong ? error : undefined}
      inputMode="decimal"
      autoComplete="off"
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

const hinted = ["iterations", "minutes", "first", "between", "tool", "cost"] as const;
