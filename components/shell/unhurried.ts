"use client";

import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/**
 * A value for what an element with `content-visibility: auto` holds: the newest while it is drawn; far out of sight it
 * comes when the page has time, a little of the page at once. Where a browser does not tell which is which, it is the newest.
 */
export function useUnhurried<T>(value: T): { box: RefObject<HTMLDivElement | null>; shown: T } {
  const box = useRef<HTMLDivElement>(null);
  const newest = useRef(value);
  const isFar = useRef(false);
  const [shown, show] = useState<{ value: T }>({ value });
  useLayoutEffect(() => {
    const element = box.current;
    const look = (event: Event) => {
      isFar.current = (event as ContentVisibilityAutoStateChangeEvent).skipped;
      if (!isFar.current) show((now) => (now.value === newest.current ? now : { value: newest.current }));
    };
    element?.addEventListener("contentvisibilityautostatechange", look);
    return () => element?.removeEventListener("contentvisibilityautostatechange", look);
  }, []);
  useLayoutEffect(() => {
    newest.current = value;
    if (shown.value === value) return;
    const task = () => show({ value });
    if (isFar.current) return whenIdle(task);
    task();
  }, [value, shown]);
  return { box, shown: shown.value };
}

const waiting = new Set<() => void>();
let isAsked = false;
/** Of what is left of a frame: one more task would take it. */
const leastMs = 4;

/** Runs a change of the page when nothing else is to be done, unless what it returns is called before. */
function whenIdle(task: () => void): () => void {
  waiting.add(task);
  ask();
  return () => waiting.delete(task);
}

function ask(): void {
  if (isAsked) return;
  isAsked = true;
  // Missing in Safari.
  if (typeof requestIdleCallback === "function") requestIdleCallback(work);
  else setTimeout(() => work({ timeRemaining: () => 0 }), 16);
}

function work(deadline: Pick<IdleDeadline, "timeRemaining">): void {
  isAsked = false;
  for (const task of waiting) {
    waiting.delete(task);
    // Else React would gather all of them into one long task.
    flushSync(task);
    if (deadline.timeRemaining() < leastMs) break;
  }
  if (waiting.size > 0) ask();
}
