"use client";

import { useTranslations } from "use-intl";
import { Field } from "@/components/ui/controls/field";

export interface StateFieldsProps {
  /** What the agent declares, by key; null where it has to be said. */
  declared: Readonly<Record<string, string | null>>;
  values: Readonly<Record<string, string>>;
  onChange(values: Record<string, string>): void;
}

/** What an agent begins with, one field a key. */
export function StateFields({ declared, values, onChange }: StateFieldsProps) {
  const t = useTranslations("settings.agents.try");
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

/** What was said of it: an empty field leaves the key as it is declared. */
export const saidIn = (
  declared: Readonly<Record<string, string | null>>,
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter(([key, value]) => Object.hasOwn(declared, key) && value !== ""),
  );
