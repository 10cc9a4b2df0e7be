"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { CompareCell } from "@/components/run/compare/compare-cell";
import { GoOn } from "@/components/run/compare/go-on";
import { useModelNames } from "@/components/run/compare/use-model-names";
import { TextButton } from "@/components/ui/controls/text-button";
import { NearLink } from "@/components/ui/near-link";
import { Skeleton } from "@/components/ui/skeleton";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { api } from "@/lib/client/http/http";
import { baseOf } from "@/lib/client/run/compare-base";
import { firstDifference } from "@/lib/client/run/matrix-view";
import type { Matrix, MatrixCell } from "@/lib/protocol/matrix";
import type { RunComparison } from "@/lib/protocol/run-comparison";

export interface MatrixDetailProps {
  matrix: Matrix;
  cell: MatrixCell;
  /** Something has changed: it is read again at once. */
  onChange(): void;
}

/** The chosen answer: where it first differs from the recorded one, and what can be done with it. */
export function MatrixDetail({ matrix, cell, onChange }: MatrixDetailProps) {
  const t = useTranslations("run.matrix");
  const inRun = useTranslations("run");
  const nameOf = useModelNames();
  const tape = matrix.tapes.find(({ runId }) => runId === cell.runId);
  const { result } = cell;
  const section = useRef<HTMLElement>(null);
  // What ends an answer is gone once it has ended.
  const focusBack = useFocusBack(() => section.current?.focus());
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={t("detail")}
      className="mt-5 grid grid-cols-[minmax(160px,220px)_minmax(0,1fr)_180px] gap-x-4 pt-2 text-mach shadow-[inset_0_1px_var(--ink)] outline-none phone:block phone:space-y-3"
      {...focusBack}
    >
      <div>
        <h2 className="font-voice text-[19px]/7 wrap-anywhere">{nameOf(cell.model)}</h2>
        <p className="text-ink-3 wrap-anywhere">
          {t("on", { question: tape?.question || t("unnamed") })}
          {result && <span className="block">{inRun("name", { id: result.slice(-4) })}</span>}
        </p>
      </div>
      <div className="min-w-0">
        {result && cell.status !== "gone" ? (
          <Difference key={result} cell={cell} result={result} />
        ) : (
          <p className="text-ink-3">{t("notYet")}</p>
        )}
      </div>
      {result && cell.status !== "gone" && <FromHere cell={cell} result={result} onChange={onChange} />}
    </section>
  );
}

/** So that arrows that are held down ask for nothing on the way. */
const restMs = 200;

function Difference({ cell, result }: { cell: MatrixCell; result: string }) {
  const t = useTranslations("run.matrix");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const [data, setData] = useState<RunComparison>();
  const [error, setError] = useState<unknown>();
  const { runId, last, status } = cell;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more when another run continues it, or it has ended
  useEffect(() => {
    const gone = new AbortController();
    const ids = `${encodeURIComponent(runId)},${encodeURIComponent(result)}`;
    const timer = setTimeout(() => {
      api<RunComparison>(`/api/runs/compare?ids=${ids}`, { signal: gone.signal }).then(
        (read) => {
          setData(read);
          setError(undefined);
        },
        (cause) => {
          if (!gone.signal.aborted) setError(cause);
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [runId, result, last, status]);
  if (error) return <p className="text-shu">{errorText(error)}</p>;
  if (!data) return <Skeleton lines={3} height={24} label={common("loading")} />;
  const at = firstDifference(data);
  if (at === null) return <p className="text-ink-3">{t("same")}</p>;
  const own = data.rows[at]?.cells[1];
  const run = data.runs[1];
  const ends = data.runs.map(({ turns }) => turns);
  return (
    <>
      <p className="text-micro text-ink-3">{t("first", { loop: at + 1 })}</p>
      {own && run && <CompareCell cell={own} base={baseOf(data.rows, at, 1, ends)} run={run} />}
    </>
  );
}

interface FromHereProps extends Pick<MatrixDetailProps, "cell" | "onChange"> {
  result: string;
}

function FromHere({ cell, result, onChange }: FromHereProps) {
  const t = useTranslations("run.matrix");
  const errorText = useErrorText();
  const [error, setError] = useState<string>();
  const { runId, last, status, conversationId, messageId } = cell;
  const end = async () => {
    setError(undefined);
    try {
      await api(`/api/runs/${encodeURIComponent(last ?? result)}/stop`, { method: "POST", body: {} });
      onChange();
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-micro text-ink-3">{t("fromHere")}</p>
      <NearLink href={`/runs/compare?ids=${encodeURIComponent(runId)},${encodeURIComponent(result)}`}>
        {t("side")}
      </NearLink>
      <NearLink href={`/runs/${encodeURIComponent(last ?? result)}`}>{t("run")}</NearLink>
      {conversationId && messageId && status !== "running" && status !== "paused" && (
        <GoOn run={{ conversationId, messageId, status: status === "waiting" ? "waiting" : "completed" }} />
      )}
      {(status === "running" || status === "waiting" || status === "paused") && (
        <TextButton onClick={() => void end()}>{t("end")}</TextButton>
      )}
      {error && (
        <p role="alert" className="text-shu">
          {error}
        </p>
      )}
    </div>
  );
}
