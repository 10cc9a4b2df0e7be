"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { Section } from "@/components/settings/section";
import { Choice } from "@/components/ui/controls/choice";
import {
  refreshEverybodysUsage,
  type UsagePeriod,
  usagePeriods,
  useEverybodysUsage,
} from "@/lib/client/settings/person-limits";
import { maxListedPeople } from "@/lib/protocol/person-limits";
import { UseRows } from "./use-rows";

/** What everybody has used, by person and by day, for admins. No contents. */
export function EverybodysUsage({ day }: { day(text: string): string }) {
  const t = useTranslations("settings.usage");
  const [period, setPeriod] = useState<UsagePeriod>(30);
  const { data, error } = useEverybodysUsage(period);
  const options = usagePeriods.map((days) => ({ value: String(days), label: t("period", { days }) }));
  const retry = () => refreshEverybodysUsage(period);
  return (
    <>
      <Section
        title={t("everybody")}
        note={t("everybodyNote", { most: maxListedPeople })}
        action={
          <Choice
            label={t("periodLabel")}
            options={options}
            value={String(period)}
            onChange={(value) => setPeriod(Number(value) as UsagePeriod)}
          />
        }
      >
        {data ? (
          <UseRows
            label={t("person")}
            none={t("nothing")}
            rows={data.people.map(({ id, ...use }) => ({ key: id, ...use }))}
          />
        ) : (
          <LoadState error={error} onRetry={retry} />
        )}
      </Section>
      {data && (
        <Section title={t("everybodysDays")}>
          <UseRows
            label={t("day")}
            none={t("nothing")}
            rows={data.days.map(({ day: key, ...use }) => ({ key, name: day(key), ...use }))}
          />
        </Section>
      )}
    </>
  );
}
