"use client";

import { memo } from "react";
import type { ConversationItem } from "@/lib/protocol/http";
import type { Chosen } from "./choosing";
import { ConversationRow, type ConversationRowProps } from "./conversation-row";

export interface RowsProps {
  items: readonly ConversationItem[];
  /** Id of the conversation on the screen. */
  current: string | undefined;
  chosen: Chosen;
  when: ConversationRowProps["when"];
  words: ConversationRowProps["words"];
}

/** As many rows as are drawn, or left out of drawing, together. */
const chunkRows = 25;

/**
 * Rows of a list that may have thousands. All of them are in the page, for readers, for the keyboard and for the search of the
 * browser; those far out of sight are neither laid out nor painted, and of all of them only those that change render.
 */
export function Rows({ items, ...rest }: RowsProps) {
  const starts = Array.from({ length: Math.ceil(items.length / chunkRows) }, (_, at) => at * chunkRows);
  return starts.map((start) => <Chunk key={start} items={items.slice(start, start + chunkRows)} {...rest} />);
}

const Chunk = memo(function Chunk({ items, current, chosen, when, words }: RowsProps) {
  return (
    <div className="far-rows" style={{ "--rows": items.length } as React.CSSProperties}>
      {items.map((item) => (
        <ConversationRow
          key={item.id}
          item={item}
          current={item.id === current}
          chosen={chosen?.has(item.id)}
          when={when}
          words={words}
        />
      ))}
    </div>
  );
}, looksTheSame);

function looksTheSame(a: RowsProps, b: RowsProps): boolean {
  if (a.items.length !== b.items.length || a.when !== b.when || a.words !== b.words) return false;
  if ((a.chosen === null) !== (b.chosen === null)) return false;
  return a.items.every(
    (item, at) =>
      item === b.items[at] &&
      (item.id === a.current) === (item.id === b.current) &&
      a.chosen?.has(item.id) === b.chosen?.has(item.id),
  );
}
