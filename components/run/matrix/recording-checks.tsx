"use client";

import { useEffect, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Check } from "@/components/ui/controls/check";
import { LoadFailed } from "@/components/ui/load-failed";
import { Skeleton } from "@/components/ui/skeleton";
import { api } from "@/lib/client/http/http";
import { recordingsBeside } from "@/lib/client/run/matrix-view";
import type { ListedRun, RunItem } from "@/lib/protocol/http";

/** Of a matrix, with the one that it begins from. */
const maxRecordings = 6;

export interface RecordingChecksProps {
  /** The one that is always there. */
  run: RunItem;
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

/** Other answers that have ended, the newest first: those of the same conversation before others. */
export function RecordingChecks({ run, chosen, onChange }: RecordingChecksProps) {
  const t = useTranslations("run.matrix");
  const common = useTranslations("common");
  const format = useFormatter();
  const [found, setFound] = useState<ListedRun[] | "failed">();
  const [attempt, setAttempt] = useState(0);
  // The run itself is another object each time it is read.
  const { id: runId, messageId, conversationId } = run;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks for the same
  useEffect(() => {
    const gone = new AbortController();
    api<{ items: ListedRun[] }>("/api/runs?kind=chat&limit=50", { signal: gone.signal }).then(
      ({ items }) => setFound(recordingsBeside({ id: runId, messageId, conversationId }, items)),
      () => !gone.signal.aborted && setFound("failed"),
    );
    return () => gone.abort();
  }, [runId, messageId, conversationId, attempt]);
  return (
    <fieldset>
      <legend className="mb-1 text-ink-2">{t("recordings", { max: maxRecordings - 1 })}</legend>
      {found === undefined && <Skeleton lines={3} height={28} label={common("loading")} />}
      {found === "failed" && (
        <LoadFailed text={t("recordingsFailed")} onRetry={() => setAttempt((count) => count + 1)} />
      )}
      {Array.isArray(found) && found.length === 0 && <p className="meta">{t("noRecordings")}</p>}
      {Array.isArray(found) && (
        <div className="max-h-48 overflow-y-auto">
          {found.map(({ id, question, startedAt }) => (
            <Check
              key={id}
              isChosen={chosen.includes(id)}
              isOff={chosen.length >= maxRecordings && !chosen.includes(id)}
              onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
            >
              {question || t("unnamed")}{" "}
              <span className="text-micro text-ink-3">
                {format.dateTime(new Date(startedAt), { dateStyle: "medium", timeStyle: "short" })}
              </span>
            </Check>
          ))}
        </div>
      )}
    </fieldset>
  );
}
