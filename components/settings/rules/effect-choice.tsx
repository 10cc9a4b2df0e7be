"use client";

import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import type { ToolRule } from "@/lib/protocol/settings";

const effects = ["allow", "ask", "deny"] as const;

export interface EffectChoiceProps {
  label: string;
  value: ToolRule["effect"];
  onChange(effect: ToolRule["effect"]): void;
}

/** What a rule does with the calls that it names. */
export function EffectChoice(props: EffectChoiceProps) {
  const t = useTranslations("settings.rules");
  return <Choice options={effects.map((value) => ({ value, label: t(value) }))} {...props} />;
}
