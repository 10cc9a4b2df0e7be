"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslations } from "use-intl";
import { isKeys, quoteKeys } from "@/components/shell/keys";
import { Button } from "@/components/ui/controls/button";
import { toQuote } from "@/lib/client/text/quote";
import type { ComposerHandle } from "./composer/message-field";

/** The selection has come to rest for as long. */
const restMs = 150;

interface Place {
  top: number;
  left: number;
}

/**
 * A small button at what is selected in the thread: puts it into the message field as a quotation. The key does the
 * same. On phones it stands above the message field, as the browser's own menu is at the selection.
 */
export function QuoteButton({ composer }: { composer: RefObject<ComposerHandle | null> }) {
  const t = useTranslations("chat.quote");
  const [place, setPlace] = useState<Place | null>(null);
  // A finger may have taken the selection away by then.
  const words = useRef("");
  const quote = (said: string) => {
    const text = toQuote(said);
    setPlace(null);
    if (text === "") return;
    getSelection()?.removeAllRanges();
    composer.current?.append(`${composer.current.isEmpty() ? "" : "\n"}${text}\n\n`);
    // With the text in it, whose end the caret is at.
    requestAnimationFrame(() => composer.current?.focus());
  };
  const latest = useRef(quote);
  useEffect(() => {
    latest.current = quote;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const selection = selected();
      if (selection) words.current = selection.toString();
      setPlace(placeOf(selection));
    };
    const changed = () => {
      clearTimeout(timer);
      timer = setTimeout(look, restMs);
    };
    const press = (event: KeyboardEvent) => {
      if (!isKeys(event, quoteKeys)) return;
      const selection = selected();
      if (!selection) return;
      event.preventDefault();
      latest.current(selection.toString());
    };
    document.addEventListener("selectionchange", changed);
    window.addEventListener("scroll", changed, { capture: true, passive: true });
    window.addEventListener("keydown", press);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("selectionchange", changed);
      window.removeEventListener("scroll", changed, { capture: true });
      window.removeEventListener("keydown", press);
    };
  }, []);
  return (
    place &&
    createPortal(
      <Button
        small
        keys={quoteKeys}
        aria-label={t("hint")}
        className="fixed z-10 animate-[appear_var(--fast)_var(--ease)] bg-raised shadow-lift phone:top-auto! phone:right-4 phone:bottom-32 phone:left-auto! print:hidden"
        style={place}
        // The selection stays while it is pressed.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => quote(words.current)}
      >
        {t("button")}
      </Button>,
      document.body,
    )
  );
}

/** What is selected, where all of it is words of one thread. */
function selected(): Selection | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const thread = threadOf(selection.anchorNode);
  return thread && thread === threadOf(selection.focusNode) ? selection : null;
}

const threadOf = (node: Node | null): Element | null => {
  const element = node instanceof Element ? node : (node?.parentElement ?? null);
  return element?.closest("textarea, input, [contenteditable]")
    ? null
    : (element?.closest("[data-scroll]") ?? null);
};

/** Under the end of it, within the window; null where that is out of sight. */
function placeOf(selection: Selection | null): Place | null {
  if (!selection || selection.toString().trim() === "") return null;
  const boxes = selection.getRangeAt(0).getClientRects();
  const box = boxes[boxes.length - 1];
  const frame = threadOf(selection.anchorNode)?.getBoundingClientRect();
  if (!box || !frame || box.bottom < frame.top || box.top > frame.bottom) return null;
  return {
    top: Math.min(box.bottom + 4, frame.bottom - 32),
    left: Math.min(Math.max(box.right - 40, frame.left + 8), frame.right - 120),
  };
}
