"use client";

import dynamic from "next/dynamic";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { FormRow, NumberRow } from "@/components/settings/form-row";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { notify } from "@/components/ui/toast";
import { useAccount } from "@/components/ui/words/account";
import { changeSettings } from "@/lib/client/settings/settings";
import { foresee, refreshUsage } from "@/lib/client/settings/usage";
import type { Retention, RetentionForecast } from "@/lib/protocol/data";

const RetentionDialog = dynamic(() => import("./retention-dialog"));

const megabyte = 1_000_000;
const smallest = 10;
const largest = 1_000_000_000;

/** How long conversations stay. What would go at once is asked before. */
export function RetentionForm({ retention }: { retention: Retention }) {
  const t = useTranslations("settings.data");
  const act = useAct();
  // Where there are several, what takes space is everybody's, and nobody's to limit for oneself.
  const isAlone = useAccount() === null;
  const [days, setDays] = useState(String(retention.days ?? "always"));
  const [space, setSpace] = useState(retention.bytes === undefined ? "" : String(retention.bytes / megabyte));
  const [isWrong, setWrong] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const lengths = useLengths(retention.days);
  const [asked, setAsked] = useState<{ next: Retention; forecast: RetentionForecast }>();
  const save = async (next: Retention) => {
    setAsked(undefined);
    if (!(await act(() => changeSettings({ retention: next })))) return;
    notify(t("saved"));
    await refreshUsage();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const megabytes = isAlone ? readSpace(space) : undefined;
    setWrong(megabytes === "wrong");
    if (megabytes === "wrong" || isBusy) return;
    const next: Retention = {
      ...(days !== "always" && { days: Number(days) }),
      ...(megabytes !== undefined && { bytes: Math.round(megabytes * megabyte) }),
    };
    setBusy(true);
    await act(async () => {
      const forecast = await foresee(next);
      if (forecast.conversations > 0) setAsked({ next, forecast });
      else await save(next);
    });
    setBusy(false);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Section title={t("howLong")} note={t("howLongNote")}>
        <FormRow label={t("age")} isGroup>
          {({ labelId }) => <Choice labelledBy={labelId} options={lengths} value={days} onChange={setDays} />}
        </FormRow>
        {isAlone && (
          <NumberRow
            label={t("most")}
            hint={t("mostHint")}
            error={isWrong ? t("mostWrong", { min: smallest, max: largest }) : undefined}
            placeholder={t("noLimit")}
            value={space}
            onChange={(event) => setSpace(event.target.value)}
          />
        )}
        <div className="mt-4 flex justify-end">
          <Button tone="ink" type="submit" aria-busy={isBusy}>
            {isBusy ? t("checking") : t("save")}
          </Button>
        </div>
      </Section>
      {asked && (
        <RetentionDialog
          forecast={asked.forecast}
          onClose={() => setAsked(undefined)}
          onAccept={() => save(asked.next)}
        />
      )}
    </form>
  );
}

/** The usual lengths, and the one that is set if it is another. */
function useLengths(set: number | undefined) {
  const t = useTranslations("settings.data");
  const known = [...new Set([365, 90, 30, ...(set === undefined ? [] : [set])])].toSorted((a, b) => b - a);
  return [
    { value: "always", label: t("always") },
    ...known.map((days) => ({
      value: String(days),
      label: days === 365 ? t("oneYear") : t("days", { days }),
    })),
  ];
}

function readSpace(text: string): number | undefined | "wrong" {
  const plain = text.trim().replaceAll(",", "");
  if (plain === "") return undefined;
  const value = Number(plain);
  return value >= smallest && value <= largest ? value : "wrong";
}
