"use client";

import { type MouseEvent, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { Key } from "@/components/ui/key";
import { Ring } from "@/components/ui/ring";
import { Hit, Marked } from "./marked";
import type { GroupId, PaletteRow } from "./palette-group";
import type { DrawnGroup } from "./use-palette";

export interface PaletteListProps {
  id: string;
  groups: readonly DrawnGroup[];
  words: readonly string[];
  selected: string | undefined;
  onPoint(key: string): void;
  onTake(row: PaletteRow, isBeside: boolean): void;
}

/** The field above keeps the focus; it takes the keys. */
export function PaletteList({ id, groups, words, selected, onPoint, onTake }: PaletteListProps) {
  const t = useTranslations("palette");
  return (
    <div
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={t("results")}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-2 thin-bar empty:hidden"
      onMouseDown={(event) => event.preventDefault()}
    >
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div
          key={group.id}
          role="group"
          aria-labelledby={`${id}-${group.id}`}
          aria-busy={group.isOld === true}
        >
          <div
            id={`${id}-${group.id}`}
            role="presentation"
            className={cn(
              "flex justify-between px-2 pt-3 pb-1 text-micro text-ink-3",
              group.id === "ask" && "sr-only",
            )}
          >
            <span>{t(`group.${group.id}`)}</span>
            <Count group={group} />
          </div>
          {[...group.shown, ...(group.more ? [group.more] : [])].map((row) => (
            <Row
              key={row.key}
              id={rowId(id, row.key)}
              row={row}
              group={group.id}
              words={words}
              isSelected={row.key === selected}
              onPoint={onPoint}
              onTake={onTake}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

export const rowId = (list: string, key: string): string => `${list}-row-${encodeURIComponent(key)}`;

function Count({ group: { rows, shown, hasMore = false } }: { group: DrawnGroup }) {
  const t = useTranslations("palette");
  const count = t(hasMore ? "countOrMore" : "count", { count: rows.length });
  return <span>{shown.length < rows.length ? t("of", { shown: shown.length, count }) : count}</span>;
}

interface RowProps extends Pick<PaletteListProps, "words" | "onPoint" | "onTake"> {
  id: string;
  row: PaletteRow;
  group: GroupId;
  isSelected: boolean;
}

function Row({ id, row, group, words, isSelected, onPoint, onTake }: RowProps) {
  const element = useRef<HTMLAnchorElement & HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  const shared = {
    ref: element,
    id,
    role: "option",
    tabIndex: -1,
    "aria-selected": isSelected,
    className: rowLook,
    // Not when rows move under a pointer that rests.
    onMouseMove: () => !isSelected && onPoint(row.key),
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      onTake(row, event.metaKey || event.ctrlKey);
    },
  };
  const content = <RowContent row={row} words={group === "ask" ? [] : words} />;
  return row.href === undefined ? (
    <div {...shared}>{content}</div>
  ) : (
    <a {...shared} href={row.href}>
      {content}
    </a>
  );
}

function RowContent({ row, words }: { row: PaletteRow; words: readonly string[] }) {
  const { icon, ring, title, snippet, note, warns, keys } = row;
  return (
    <>
      <span className="grid h-5 place-items-center text-ink-3">
        {ring ? (
          <Ring state={ring.state} size={14} label={ring.label} />
        ) : (
          icon && <Icon name={icon} size={14} />
        )}
      </span>
      <span className="truncate text-ink in-aria-selected:font-semibold">
        <Marked text={title} words={words} />
      </span>
      <span
        className={cn(
          "text-micro whitespace-nowrap",
          warns ? "font-semibold text-shu" : "text-ink-3 in-aria-selected:text-ink-2",
        )}
      >
        {/* The ring says it already. */}
        {note && (
          <span aria-hidden={ring?.label === note || undefined}>
            <span className="sr-only">, </span>
            {note}
          </span>
        )}
        {keys && <Key keys={keys} />}
      </span>
      {snippet && (
        <span className="col-start-2 col-end-[-1] truncate text-ink-3 in-aria-selected:text-ink-2">
          <span className="sr-only">: </span>
          {snippet.map(({ text, hit }, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no identity and never move
            hit ? <Hit key={at}>{text}</Hit> : text,
          )}
        </span>
      )}
    </>
  );
}

const rowLook =
  "grid min-h-7 cursor-pointer scroll-my-8 grid-cols-[16px_minmax(0,1fr)_auto] content-center items-center gap-x-3 rounded-control px-2 py-1 text-mach text-ink-2 no-underline aria-selected:bg-paper-3 phone:min-h-11";
