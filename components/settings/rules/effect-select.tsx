"use client";

import { useTranslations } from "use-intl";
import type { ToolRule } from "@/lib/protocol/http";

const effects = ["allow", "ask", "deny"] as const;

/** What a rule does with the calls that it names. */
export function EffectSelect({
  label,
  value,
  onChange,
}: {
  label: string;
  value: ToolRule["effect"];
  onChange(effect: ToolRule["effect"]): void;
}) {
  const t = useTranslations("settings.rules");
  return (
    <select
      className="field w-auto"
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value as ToolRule["effect"])}
    >
      {effects.map((effect) => (
        <option key={effect} value={effect}>
          {t(effect)}
        </option>
      ))}
    </select>
  );
}
