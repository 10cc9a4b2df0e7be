"use client";

import { useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import { Button, iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { saveText } from "@/components/ui/save-text";
import { Skeleton } from "@/components/ui/skeleton";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { api } from "@/lib/client/http/http";
import { rowsOf } from "@/lib/client/run/matrix-view";
import { toCsv } from "@/lib/client/text/csv";
import type { Matrix } from "@/lib/protocol/matrix";
import { MatrixBudget } from "./matrix-budget";
import { MatrixDetail } from "./matrix-detail";
import { MatrixGrid } from "./matrix-grid";
import { useLimit } from "./use-limit";
import { useMatrix } from "./use-matrix";

/** Several models on several recordings: what became of each, what all have used, and the chosen answer below. */
export function MatrixPage({ id }: { id: string }) {
  const t = useTranslations("run.matrix");
  const common = useTranslations("common");
  const format = useFormatter();
  const errorText = useErrorText();
  const { data, error, retry, take } = useMatrix(id);
  const title = data ? t("title", { models: data.models.length, tapes: data.tapes.length }) : t("name");
  const [first] = data?.tapes ?? [];
  const begun = ({ tape, createdAt }: Matrix) =>
    t.rich(`begun.${tape}`, {
      at: format.dateTime(new Date(createdAt), { dateStyle: "medium", timeStyle: "short" }),
      how: (words) => <span className="max-[1000px]:hidden">{words}</span>,
    });
  return (
    <>
      <title>{`${title} · Meguri`}</title>
      <Bar
        title={title}
        meta={data && begun(data)}
        back={
          first &&
          !first.isGone && (
            <NearLink
              href={`/runs/${encodeURIComponent(first.runId)}`}
              className={iconButtonClass}
              aria-label={t("back")}
            >
              <Icon name="arrowLeft" />
            </NearLink>
          )
        }
      >
        {data && <Actions matrix={data} onChange={take} />}
      </Bar>
      {error && (
        <div className="px-6 pt-5 phone:px-4">
          <LoadFailed text={t("failed")} onRetry={retry} />
          <p className="meta">{errorText(error)}</p>
        </div>
      )}
      {!data && !error && (
        <div className="px-6 pt-5 phone:px-4">
          <Skeleton lines={8} height={24} label={common("loading")} />
        </div>
      )}
      {data && <Content matrix={data} onChange={take} onLook={retry} />}
    </>
  );
}

interface PartProps {
  matrix: Matrix;
  onChange(matrix: Matrix): void;
}

function Actions({ matrix, onChange }: PartProps) {
  const t = useTranslations("run.matrix");
  const errorText = useErrorText();
  const [isStopping, setStopping] = useState(false);
  const [error, setError] = useState<string>();
  const table = useRef<HTMLButtonElement>(null);
  // What stops is gone once it has.
  const focusBack = useFocusBack(() => table.current?.focus());
  const hasEnded = matrix.status === "completed" || matrix.status === "stopped";
  const stop = async () => {
    if (isStopping) return;
    setStopping(true);
    setError(undefined);
    try {
      const path = `/api/matrix/${encodeURIComponent(matrix.id)}/stop`;
      onChange(await api<Matrix>(path, { method: "POST", body: {} }));
    } catch (cause) {
      setError(errorText(cause));
    }
    setStopping(false);
  };
  const save = () =>
    saveText(`matrix-${matrix.id.slice(-4)}.csv`, toCsv(rowsOf(matrix)), "text/csv;charset=utf-8");
  return (
    <>
      {error && (
        <p role="alert" className="truncate text-mach text-shu">
          {error}
        </p>
      )}
      <Button ref={table} tone="quiet" onClick={save}>
        {t("csv")} <span className="text-ink-3">CSV</span>
      </Button>
      {!hasEnded && (
        <Button tone="ink" icon="stop" aria-busy={isStopping} onClick={() => void stop()} {...focusBack}>
          {t("stop")}
        </Button>
      )}
    </>
  );
}

function Content({ matrix, onChange, onLook }: PartProps & { onLook(): void }) {
  const t = useTranslations("run.matrix");
  const limit = useLimit();
  const [picked, setPicked] = useState(0);
  const cell = matrix.cells[picked];
  const of = (["cost", "tokens"] as const).flatMap((name) => {
    const most = matrix.budget[name];
    return most === undefined ? [] : [limit(name, most)];
  });
  return (
    <div className="min-h-0 flex-1 overflow-auto px-6 pt-5 pb-8 thin-bar phone:px-4">
      <MatrixBudget matrix={matrix} onChange={onChange} />
      <MatrixGrid matrix={matrix} picked={picked} onPick={setPicked} />
      <p className="mt-3 max-w-(--measure) text-mach text-ink-3">
        {t(`rule.${matrix.tape}`)} {t("limit", { of: of.join(" / ") })}
      </p>
      {cell && <MatrixDetail key={picked} matrix={matrix} cell={cell} onChange={onLook} />}
    </div>
  );
}
