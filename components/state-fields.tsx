"use client";

import { useTranslations } from "use-intl";
import { Field } from "@/components/ui/controls/field";
import type { DeclaredState } from "@/lib/protocol/agents";

export interface StateFieldsProps {
  declared: DeclaredState;
  values: Readonly<Record<string, string>>;
  onChange(values: Record<string, string>): void;
}

/** What an agent begins with, one field a key; an empty one leaves the key as it is declared. */
export function StateFields({ declared, values, onChange }: StateFieldsProps) {
  const t = useTranslations("chat.agents");
  return (
    <>
      {Object.entries(declared).map(([key, otherwise]) => (
        <Field
          key={key}
          label={<code className="text-[12px]">{key}</code>}
          hint={otherwise === null ? t("needed") : undefined}
          required={otherwise === null}
          placeholder={otherwise ?? ""}
          maxLength={20_000}
          autoComplete="off"
          value={values[key] ?? ""}
          onChange={({ target }) => onChange({ ...values, [key]: target.value })}
        />
      ))}
    </>
  );
}
