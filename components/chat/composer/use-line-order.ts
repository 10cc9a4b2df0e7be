"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { QueueLine } from "@/lib/client/conversation/conversation-state";

export interface LineOrder {
  lines: readonly QueueLine[];
  /** The key of the line that is being dragged. */
  dragged: string | null;
  start(line: QueueLine): void;
  /** One place up or down; the focus stays. */
  step(line: QueueLine, by: -1 | 1): void;
}

/** The order of the lines that are asked afterwards: by dragging, shown on the way, and by keys. `move`: before which one, null: last. */
export function useLineOrder(
  lines: readonly QueueLine[],
  list: RefObject<HTMLElement | null>,
  move: (line: QueueLine, before: string | null) => void,
): LineOrder {
  const [drag, setDrag] = useState<{ key: string; before: string | null } | null>(null);
  const current = useRef({ lines, move });
  current.current = { lines, move };
  const key = drag?.key;
  useEffect(() => {
    if (key === undefined) return;
    let before: string | null | undefined;
    const over = ({ clientY }: PointerEvent) => {
      before = placeAt(list.current, current.current.lines, key, clientY);
      setDrag({ key, before });
    };
    const end = ({ type }: PointerEvent) => {
      setDrag(null);
      const line = current.current.lines.find((each) => each.key === key);
      if (
        type === "pointerup" &&
        line &&
        before !== undefined &&
        before !== nextOf(current.current.lines, line)
      )
        current.current.move(line, before);
    };
    window.addEventListener("pointermove", over);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
    return () => {
      window.removeEventListener("pointermove", over);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
    };
  }, [key, list]);
  return {
    lines: drag ? placed(lines, drag.key, drag.before) : lines,
    dragged: key ?? null,
    start: (line) => setDrag({ key: line.key, before: nextOf(lines, line) }),
    step: (line, by) => {
      const movable = lines.filter(isMovable);
      const at = movable.indexOf(line);
      if (at < 0 || !movable[at + by]) return;
      const before = by < 0 ? movable[at - 1] : movable[at + 2];
      const focused = document.activeElement;
      // An element that changes its place loses the focus.
      flushSync(() => move(line, before?.id ?? null));
      if (focused instanceof HTMLElement) focused.focus();
    },
  };
}

/** What the server has, and what is asked afterwards: the others go into the answer together. */
export const isMovable = ({ when, isSending }: QueueLine): boolean => when === "after" && !isSending;

const nextOf = (lines: readonly QueueLine[], line: QueueLine): string | null =>
  lines.slice(lines.indexOf(line) + 1).find(isMovable)?.id ?? null;

/** The line that the dragged one would come before at this height. */
function placeAt(
  list: HTMLElement | null,
  lines: readonly QueueLine[],
  key: string,
  y: number,
): string | null {
  for (const line of lines) {
    if (!isMovable(line) || line.key === key) continue;
    const box = list?.querySelector(`[data-line="${CSS.escape(line.key)}"]`)?.getBoundingClientRect();
    // Those that are folded come behind those that are shown.
    if (!box || y < box.top + box.height / 2) return line.id;
  }
  return null;
}

/** The lines with one of them before another; null: behind all. */
export function placed(
  lines: readonly QueueLine[],
  key: string,
  before: string | null,
): readonly QueueLine[] {
  const line = lines.find((each) => each.key === key);
  if (!line) return lines;
  const rest = lines.filter((each) => each !== line);
  const at = before === null ? -1 : rest.findIndex(({ id }) => id === before);
  return rest.toSpliced(at < 0 ? rest.length : at, 0, line);
}
