"use client";

import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Choice } from "@/components/ui/controls/choice";
import { changeSettings, useSettings } from "@/lib/client/settings/settings";

/** Who names conversations; applied at once. */
export function TitlesSection() {
  const t = useTranslations("settings.models.titles");
  const act = useAct();
  const { data } = useSettings();
  if (!data) return null;
  const options = [
    { value: "model" as const, label: t("model") },
    { value: "words" as const, label: t("words") },
  ];
  return (
    <Section title={t("title")} note={t("note")}>
      <FormRow label={t("label")} isGroup>
        {({ labelId }) => (
          <Choice
            labelledBy={labelId}
            options={options}
            value={data.titles}
            onChange={(titles) => void act(() => changeSettings({ titles }))}
          />
        )}
      </FormRow>
    </Section>
  );
}
