"use client";

import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import type { RuleCondition, ToolRule } from "@/lib/protocol/settings";

const effects = ["allow", "ask", "plan", "deny"] as const;

export interface EffectChoiceProps {
  label: string;
  /** It is about what a server has returned: a plan is about calls. */
  isFlow?: boolean;
  value: ToolRule["effect"];
  onChange(effect: ToolRule["effect"]): void;
}

/** What a rule does with the calls that it names. */
export function EffectChoice({ isFlow = false, ...props }: EffectChoiceProps) {
  const t = useTranslations("settings.rules");
  const offered = isFlow ? effects.filter((effect) => effect !== "plan") : effects;
  return <Choice options={offered.map((value) => ({ value, label: t(value) }))} {...props} />;
}

const conditions = ["all", "destructive", "openWorld"] as const;

export interface ConditionChoiceProps {
  value: RuleCondition | undefined;
  onChange(when: RuleCondition | undefined): void;
}

/** Which of the tools that its pattern names a rule is about. */
export function ConditionChoice({ value, onChange }: ConditionChoiceProps) {
  const t = useTranslations("settings.rules.when");
  return (
    <Choice
      label={t("label")}
      options={conditions.map((name) => ({ value: name, label: t(name) }))}
      value={value ?? "all"}
      onChange={(name) => onChange(name === "all" ? undefined : name)}
    />
  );
}
