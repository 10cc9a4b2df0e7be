"use client";

import { cloneElement, type ReactElement, type ReactNode, useMemo, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { copyText } from "@/components/ui/controls/copy-button";
import { Icon } from "@/components/ui/icon";
import { saveText } from "@/components/ui/save-text";
import { notifyFailure } from "@/components/ui/toast";
import { isNumeric, sortRows, toCsv, toTsv } from "@/lib/client/text/csv";

export type HeadCell = ReactElement<{ children?: ReactNode; "aria-sort"?: "ascending" | "descending" }>;

export interface TableFrameProps {
  heads: readonly { text: string; cell: HeadCell }[];
  /** What each cell says, without the head. */
  texts: readonly (readonly string[])[];
  /** How many more rows are shown at a time. */
  step: number;
  /** The rows in this order; null is the one that they came in. */
  draw(order: readonly number[] | null, shown: number): ReactNode;
}

/** Shorter tables have no fold, and the shortest no buttons. */
const openRows = 15;
const foldedRows = 12;
const buttonsFrom = 3;
/** Columns that `markdown.css` can set to the right. */
const rightColumns = 12;

interface Sort {
  column: number;
  direction: 1 | -1;
}

/** A table that is complete: it scrolls inside, its head stays, a click on a head sorts, and it can be taken along. */
export function TableFrame({ heads, texts, step, draw }: TableFrameProps) {
  const t = useTranslations("chat.table");
  const locale = useLocale();
  const [sort, setSort] = useState<Sort | null>(null);
  const [shown, setShown] = useState(texts.length > openRows ? foldedRows : texts.length);
  const numeric = useMemo(() => heads.map((_, at) => isNumeric(texts, at)), [heads, texts]);
  const order = useMemo(
    () => sort && sortRows(texts, sort.column, sort.direction, locale),
    [sort, texts, locale],
  );
  const rest = texts.length - shown;
  const turn = (column: number) => setSort(nextSort(sort, column, numeric[column] ?? false));
  const rows = () => [
    heads.map(({ text }) => text),
    ...(order ?? texts.keys().toArray()).map((at) => texts[at] ?? []),
  ];
  const sorted = sort && heads[sort.column]?.text;
  return (
    <div data-frame="">
      {texts.length >= buttonsFrom && (
        <div className="flex min-h-7 items-center gap-2 text-micro text-ink-3 print:hidden">
          <span className="min-w-0 flex-1 truncate" role="status">
            {sorted
              ? t("sorted", { count: texts.length, column: sorted })
              : t("rows", { count: texts.length })}
          </span>
          <Button
            small
            tone="quiet"
            icon="copy"
            className="text-micro"
            onClick={() => copyText(toTsv(rows())).catch(() => notifyFailure(t("copyFailed")))}
          >
            {t("copy")}
          </Button>
          <Button
            small
            tone="quiet"
            icon="download"
            className="-mr-2 text-micro"
            onClick={() => saveText("table.csv", toCsv(rows()), "text/csv;charset=utf-8")}
          >
            CSV
          </Button>
        </div>
      )}
      <div
        className={cn(
          "more-beside max-w-full overflow-auto [scrollbar-width:thin]",
          rest <= 0 && texts.length > openRows && "max-h-[80dvh] print:max-h-none",
        )}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
      >
        <table
          data-right={rightOf(numeric)}
          data-folded={(rest > 0 && shown === foldedRows && "folded") || undefined}
        >
          <thead>
            <tr>
              {heads.map(({ text, cell }, at) => (
                <Head
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place
                  key={at}
                  text={text}
                  cell={cell}
                  direction={sort?.column === at ? sort.direction : null}
                  onTurn={() => turn(at)}
                />
              ))}
            </tr>
          </thead>
          {draw(order, shown)}
        </table>
      </div>
      {rest > 0 && (
        <Button
          small
          tone="quiet"
          className="-ml-2 text-micro noscript:hidden print:hidden"
          onClick={() => setShown(Math.min(texts.length, shown + step))}
        >
          {t("more", { count: rest })}
        </Button>
      )}
    </div>
  );
}

interface HeadProps {
  text: string;
  cell: HeadCell;
  direction: 1 | -1 | null;
  onTurn(): void;
}

function Head({ text, cell, direction, onTurn }: HeadProps) {
  if (text.trim() === "") return cell;
  const sort = direction && {
    "aria-sort": direction === 1 ? ("ascending" as const) : ("descending" as const),
  };
  return cloneElement(
    cell,
    sort ?? {},
    <button type="button" className="sort" onClick={onTurn}>
      {direction && <Icon name={direction === 1 ? "arrowUp" : "arrowDown"} size={12} />}
      {cell.props.children}
    </button>,
  );
}

/** Numbers begin with the largest; a third turn gives back the order that they came in. */
function nextSort(sort: Sort | null, column: number, isNumber: boolean): Sort | null {
  const first = isNumber ? -1 : 1;
  if (sort?.column !== column) return { column, direction: first };
  return sort.direction === first ? { column, direction: first === 1 ? -1 : 1 } : null;
}

const rightOf = (numeric: readonly boolean[]) =>
  numeric.flatMap((isNumber, at) => (isNumber && at < rightColumns ? at + 1 : [])).join(" ");
