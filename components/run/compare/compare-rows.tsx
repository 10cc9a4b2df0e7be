"use client";

import { useFormatter, useTranslations } from "use-intl";
import { NearLink } from "@/components/ui/near-link";
import { useSentence } from "@/components/ui/words/sentences";
import { baseOf, rowDiffers } from "@/lib/client/run/compare-base";
import type { ComparedRun, RunComparison } from "@/lib/protocol/run-comparison";
import { CompareCell } from "./compare-cell";
import { GoOn } from "./go-on";
import { useModelNames } from "./use-model-names";

export interface CompareRowsProps {
  data: RunComparison;
  /** Loops that are the same in all answers are only counted. */
  onlyDifferences: boolean;
}

/** A row a loop, a column an answer; phones scroll sideways within it. */
export function CompareRows({ data: { runs, rows }, onlyDifferences }: CompareRowsProps) {
  const t = useTranslations("run.compare");
  const ends = runs.map(({ turns }) => turns);
  const shown = rows.map((row, at) => ({ ...row, at }));
  const told = onlyDifferences ? shown.filter(({ at }) => rowDiffers(rows, at, ends)) : shown;
  return (
    <div className="more-beside overflow-x-auto">
      <table
        className="w-full table-fixed border-collapse text-left"
        style={{ minWidth: 120 + 280 * runs.length }}
      >
        <thead>
          <tr className="align-top">
            <th className="w-28 font-normal phone:w-14">
              <span className="sr-only">{t("loops")}</span>
            </th>
            {runs.map((run) => (
              <ColumnHead key={run.id} run={run} />
            ))}
          </tr>
        </thead>
        <tbody>
          {told.map(({ turn, cells, at }) => (
            <tr key={turn} className="border-t border-rule align-top">
              <th className="py-2 font-semibold">{t("loop", { number: turn })}</th>
              {cells.map((cell, column) => (
                <td key={runs[column]?.id} className="py-2 pr-6">
                  {cell ? (
                    <CompareCell
                      cell={cell}
                      base={baseOf(rows, at, column, ends)}
                      run={runs[column] as ComparedRun}
                    />
                  ) : (
                    <p className="text-mach text-ink-3">
                      {(ends[column] ?? 0) < turn &&
                        runs[column]?.status !== "running" &&
                        t("ended", { number: ends[column] ?? 0 })}
                    </p>
                  )}
                </td>
              ))}
            </tr>
          ))}
          {told.length < rows.length && (
            <tr className="border-t border-rule">
              <td />
              <td colSpan={runs.length} className="py-2 text-mach text-ink-3">
                {t("alike", { count: rows.length - told.length })}
              </td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr className="border-t border-rule align-top">
            <td />
            {runs.map((run) => (
              <td key={run.id} className="py-3 pr-6">
                <GoOn run={run} />
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function ColumnHead({ run }: { run: ComparedRun }) {
  const t = useTranslations("run.compare");
  const inRun = useTranslations("run");
  const nameOf = useModelNames();
  const format = useFormatter();
  const inWords = useSentence();
  const { rerunOf, error } = run;
  const at = format.dateTime(new Date(run.startedAt), { dateStyle: "medium", timeStyle: "short" });
  return (
    <th className="pr-6 pb-2 font-normal">
      <span className="block truncate font-voice text-voice">{nameOf(run.model)}</span>
      <span className="block text-mach text-ink-3">
        <NearLink href={`/runs/${encodeURIComponent(run.id)}`}>
          {inRun("name", { id: run.id.slice(-4) })}
        </NearLink>{" "}
        {rerunOf
          ? t(`onTape.${rerunOf.tape}`, { run: inRun("name", { id: rerunOf.runId.slice(-4) }) })
          : t("recorded", { at })}
      </span>
      {run.status !== "completed" && (
        <span className={run.status === "running" ? "text-mach" : "text-mach text-shu"}>
          {inRun(`status.${run.status}`)}
        </span>
      )}
      {error && <span className="block text-mach text-shu">{inWords(error.message)}</span>}
    </th>
  );
}
