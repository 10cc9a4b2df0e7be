"use client";

import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { isKeys } from "./keys";

export interface SlipNote {
  text: string;
  /** Takes back what the text tells. */
  undo?: () => void;
}

const shownMs = 10_000;
const undoKeys = "Mod+Z";

/** What was just done, beside the list, with the way back; it stays for 10 s, and longer while the pointer or the focus is on it. */
export function Slip({ note, onEnd }: { note: SlipNote | null; onEnd(): void }) {
  const common = useTranslations("common");
  const [held, setHeld] = useState(0);
  const slip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!note || held > 0) return;
    const timer = setTimeout(onEnd, shownMs);
    return () => clearTimeout(timer);
  }, [note, held, onEnd]);
  // Gone from under the pointer it is never left.
  useEffect(() => {
    if (!note) setHeld(0);
  }, [note]);
  useUndoKey(note);
  useAboveComposer(slip, note);
  const hold = () => setHeld((count) => count + 1);
  const free = () => setHeld((count) => Math.max(0, count - 1));
  return (
    // There before its words are, so that they are read out.
    <div role="status" className="contents">
      {note && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that somebody is there
        <div
          ref={slip}
          className="fixed bottom-4 left-4 z-30 flex min-h-10 max-w-[min(420px,calc(100vw-32px))] min-w-60 animate-appear items-center gap-3 rounded-control border border-rule-2 bg-raised py-1 pr-1 pl-4 text-mach shadow-lift not-phone:[:root[data-side=open]_&]:left-[calc(var(--side)+16px)]"
          onPointerEnter={hold}
          onPointerLeave={free}
          onFocus={hold}
          onBlur={free}
        >
          <span className="min-w-0 flex-1 wrap-anywhere">{note.text}</span>
          {note.undo && (
            <Button small keys={undoKeys} onClick={note.undo}>
              {common("undo")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** Mod+Z takes back, where it would not take back what somebody has written. */
function useUndoKey(note: SlipNote | null): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!note?.undo || event.defaultPrevented || event.isComposing) return;
    if (!isKeys(event, undoKeys)) return;
    const editable = "input, textarea, select, [contenteditable]";
    if (document.activeElement?.matches(editable) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    note.undo();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
}

/** Never over the message field: where they would meet, it stands above it. */
function useAboveComposer(slip: { current: HTMLElement | null }, note: SlipNote | null): void {
  useLayoutEffect(() => {
    if (!note) return;
    const place = () => {
      const composer = document.querySelector("#main [data-box]")?.getBoundingClientRect();
      if (!slip.current) return;
      slip.current.style.bottom = "";
      const own = slip.current.getBoundingClientRect();
      if (!composer || own.right < composer.left || own.top > composer.bottom || own.bottom < composer.top)
        return;
      slip.current.style.bottom = `${innerHeight - composer.top + 8}px`;
    };
    place();
    const composer = document.querySelector("#main [data-box]");
    const watch = new ResizeObserver(place);
    if (composer) watch.observe(composer);
    addEventListener("resize", place);
    return () => {
      watch.disconnect();
      removeEventListener("resize", place);
    };
  }, [slip, note]);
}
