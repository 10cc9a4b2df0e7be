"use client";

import { type KeyboardEvent, useRef } from "react";
import { useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import { useModelNames } from "@/components/run/compare/use-model-names";
import { cn } from "@/components/ui/cn";
import { useGo } from "@/components/ui/go";
import { showDuration } from "@/lib/client/run/durations";
import { cellAfter, findCheapest, type ModelTotal, totalOf } from "@/lib/client/run/matrix-view";
import type { Matrix, MatrixCell, MatrixTape } from "@/lib/protocol/matrix";
import { MatrixCellWords } from "./matrix-cell-words";

export interface MatrixGridProps {
  matrix: Matrix;
  /** The position of the cell that is shown below. */
  picked: number;
  onPick(at: number): void;
}

/** Recordings down, models across; phones have the models of a recording below each other. Arrows move, Enter opens both answers. */
export function MatrixGrid({ matrix, picked, onPick }: MatrixGridProps) {
  const t = useTranslations("run.matrix");
  const nameOf = useModelNames();
  const go = useGo();
  const grid = useRef<HTMLTableElement>(null);
  const { models, tapes, cells } = matrix;
  const cheapest = findCheapest(matrix);
  const open = (at: number) => {
    const address = addressOf(cells[at]);
    if (address) go(address);
  };
  const press = (event: KeyboardEvent) => {
    // With these the keys are the browser's.
    if (event.altKey || event.shiftKey) return;
    const isFar = event.ctrlKey || event.metaKey;
    const next = cellAfter({ key: event.key, isFar }, picked, {
      columns: models.length,
      count: cells.length,
    });
    if (event.key === "Enter" && !isFar) open(picked);
    else if (next === undefined) return;
    else {
      const found = grid.current?.querySelectorAll<HTMLElement>("[role=gridcell]")[next];
      found?.focus();
      found?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    event.preventDefault();
  };
  return (
    <div className="more-beside mt-4 overflow-x-auto">
      <table
        ref={grid}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table whose cells are chosen by arrows
        role="grid"
        aria-label={t("grid")}
        aria-describedby="matrix-keys"
        className="w-full table-fixed border-collapse text-left text-mach phone:block phone:min-w-0!"
        style={{ minWidth: headPx + 164 * models.length }}
      >
        <thead className="phone:sr-only">
          <tr className="border-t border-rule">
            <th scope="col" className={cn(headLook, "py-1 pr-4 text-micro font-normal text-ink-3")}>
              {t("tape")}
            </th>
            {models.map((model) => (
              <th key={model} scope="col" className="truncate py-1 pr-4 pl-3 font-semibold">
                {nameOf(model)}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/noRedundantRoles: on phones it is a block, which is no part of a table by itself */}
        <tbody role="rowgroup" className="phone:block">
          {tapes.map((tape, row) => (
            <tr
              key={tape.runId}
              // biome-ignore lint/a11y/noRedundantRoles: the same
              role="row"
              className="h-22 border-t border-rule align-top phone:block phone:h-auto"
            >
              <TapeHead tape={tape} />
              {models.map((model, column) => {
                const at = row * models.length + column;
                const cell = cells[at];
                return (
                  cell && (
                    <td
                      key={model}
                      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the same
                      role="gridcell"
                      tabIndex={at === picked ? 0 : -1}
                      aria-selected={at === picked}
                      className={cn(
                        "cursor-pointer scroll-ml-40 px-3 py-3 -outline-offset-2 phone:block",
                        at === picked && "bg-paper-3",
                      )}
                      onClick={() => onPick(at)}
                      onFocus={() => onPick(at)}
                      onDoubleClick={() => open(at)}
                      onKeyDown={press}
                    >
                      <span className="hidden pl-7 font-semibold phone:block">{nameOf(model)}</span>
                      <MatrixCellWords cell={cell} tape={matrix.tape} isCheapest={cheapest.has(at)} />
                    </td>
                  )
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <Totals matrix={matrix} />
      <p id="matrix-keys" className="sr-only">
        {t("hint")}
      </p>
    </div>
  );
}

/** The recordings stay in sight where models are scrolled sideways. */
const headLook = "sticky left-0 z-1 w-40 bg-paper min-[1000px]:w-55";
const headPx = 160;

/** Both answers beside each other; undefined before there are two. */
const addressOf = (cell: MatrixCell | undefined): string | undefined =>
  cell?.result && cell.status !== "gone"
    ? `/runs/compare?ids=${encodeURIComponent(cell.runId)},${encodeURIComponent(cell.result)}`
    : undefined;

function TapeHead({ tape: { runId, question, isGone, calls } }: { tape: MatrixTape }) {
  const t = useTranslations("run.matrix");
  const inRun = useTranslations("run");
  const run = inRun("name", { id: runId.slice(-4) });
  return (
    <th
      scope="row"
      // biome-ignore lint/a11y/noRedundantRoles: the same
      role="rowheader"
      className={cn(headLook, "py-3 pr-4 font-normal phone:static phone:block phone:w-auto")}
    >
      <span className="line-clamp-2 font-voice text-[15px]/5 wrap-anywhere">
        {isGone ? t("tapeGone") : question || t("unnamed")}
      </span>
      <span className="block text-micro text-ink-3">
        {isGone ? run : t("tapeMeta", { run, count: calls })}
      </span>
    </th>
  );
}

/** What each model took in all of its answers. Beside the grid, as nothing of it can be chosen. */
function Totals({ matrix: { models, cells } }: { matrix: Matrix }) {
  const t = useTranslations("run.matrix");
  const inRun = useTranslations("run");
  const amount = useAmount();
  const nameOf = useModelNames();
  const inWords = (total: ModelTotal | null) => {
    if (!total) return "–";
    const { latencyMs, cost, unpriced } = total;
    const price = cost === null ? t("noPrice") : amount("cost", cost);
    const without = cost !== null && unpriced > 0 ? [t("unpricedToo", { count: unpriced })] : [];
    return [showDuration(latencyMs), price, ...without].join(inRun("figures.and"));
  };
  return (
    <div
      className="flex py-2 text-mach shadow-[inset_0_1px_var(--ink)] phone:block phone:min-w-0!"
      style={{ minWidth: headPx + 164 * models.length }}
    >
      <p className={cn(headLook, "shrink-0 text-ink-3 phone:static")}>{t("together")}</p>
      <dl className="flex min-w-0 flex-1 phone:block">
        {models.map((model) => (
          <div key={model} className="min-w-0 flex-1 pr-4 pl-3 phone:flex phone:justify-between phone:px-3">
            <dt className="sr-only phone:not-sr-only">{nameOf(model)}</dt>
            <dd>{inWords(totalOf(cells, model))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
