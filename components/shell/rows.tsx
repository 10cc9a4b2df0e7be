"use client";

import { memo, useMemo } from "react";
import type { ConversationItem } from "@/lib/protocol/http";
import type { Chosen } from "./choosing";
import { ConversationRow, type ConversationRowProps } from "./conversation-row";
import { chunksOf } from "./row-chunks";
import { useUnhurried } from "./unhurried";

export interface RowsProps {
  items: readonly ConversationItem[];
  /** Id of the conversation on the screen. */
  current: string | undefined;
  chosen: Chosen;
  when: ConversationRowProps["when"];
  words: ConversationRowProps["words"];
}

/**
 * Rows of a list that may have thousands. All of them are in the page, for readers, for the keyboard and for the search of the
 * browser; those far out of sight are neither laid out nor painted, and of all of them only those that change render.
 */
export function Rows({ items, ...rest }: RowsProps) {
  const chunks = useMemo(() => chunksOf(items), [items]);
  return chunks.map((chunk) => <Chunk key={chunk.key} items={chunk.items} {...rest} />);
}

const Chunk = memo(function Chunk({ items, current, chosen, when, words }: RowsProps) {
  // To choose among thousands draws each of them with its box: those in sight first.
  const { box, shown } = useUnhurried(chosen);
  return (
    <div ref={box} className="far-rows" style={{ "--rows": items.length } as React.CSSProperties}>
      {items.map((item) => (
        <ConversationRow
          key={item.id}
          item={item}
          current={item.id === current}
          chosen={shown?.has(item.id)}
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
