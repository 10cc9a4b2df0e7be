"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { NearLink } from "@/components/ui/near-link";
import { showDuration } from "@/lib/client/run/durations";
import { lastRunsOf } from "@/lib/client/settings/schedules";
import type { ListedRun } from "@/lib/protocol/http";
import type { Schedule } from "@/lib/protocol/schedules";
import { useScheduleWords } from "./use-schedule-words";

/** What it has begun last, read again when the list tells of a change. */
export function LastRuns({ schedule: { id, lastRun } }: { schedule: Schedule }) {
  const t = useTranslations("settings.schedules");
  const words = useScheduleWords();
  const [runs, setRuns] = useState<readonly ListedRun[]>([]);
  const changed = `${lastRun?.id} ${lastRun?.status}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when the last run is another one, or ends.
  useEffect(() => {
    let isLeft = false;
    // Without an answer what is known stays: the list beside says what is wrong.
    lastRunsOf(id).then(
      ({ items }) => isLeft || setRuns(items),
      () => {},
    );
    return () => {
      isLeft = true;
    };
  }, [id, changed]);
  if (runs.length === 0) return null;
  return (
    <section className="pt-2 text-mach rule-t">
      <h3 className="text-micro text-ink-3">{t("lastRuns")}</h3>
      <ul>
        {runs.map((run) => (
          <li key={run.id} className="flex flex-wrap items-baseline gap-x-4 leading-6">
            <NearLink
              href={`/runs/${encodeURIComponent(run.id)}`}
              className="underline decoration-rule-2 underline-offset-3"
            >
              {words.moment(run.startedAt)}
            </NearLink>
            <span className={run.status === "waiting" ? "text-shu" : "text-ink-3"}>
              {t(`status.${run.status}`)}
            </span>
            {run.endedAt !== null && (
              <span className="ml-auto text-ink-3">
                {showDuration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
