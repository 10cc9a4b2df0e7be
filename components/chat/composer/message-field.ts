"use client";

import { useEffect, useLayoutEffect } from "react";
import type { SetText } from "./use-draft";

export interface ComposerHandle {
  focus(): void;
  fill(text: string): void;
  /** Puts text after what is written; the focus stays where it is. */
  append(text: string): void;
  isEmpty(): boolean;
}

export function handleOf(
  field: React.RefObject<HTMLTextAreaElement | null>,
  setText: SetText,
): ComposerHandle {
  return {
    focus: () => field.current?.focus(),
    isEmpty: () => !field.current?.value,
    append: (text) => setText((before) => (before === "" ? text : `${before}\n${text}`)),
    fill: (text) => {
      setText(text);
      requestAnimationFrame(() => {
        field.current?.focus();
        field.current?.setSelectionRange(text.length, text.length);
      });
    },
  };
}

/**
 * As tall as its text; the style sheet says how tall it may get, and does all of it where the browser knows
 * `field-sizing`: to measure means to lay out the page at each key.
 */
export function useHeight(
  field: React.RefObject<HTMLTextAreaElement | null>,
  text: string,
  isFirst: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what makes it taller, and before the first question it has more room
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text, isFirst]);
}

/** Keeps what was typed while nothing listened yet; it comes after a draft, which was not to be seen then. */
export function useEarlyText(field: React.RefObject<HTMLTextAreaElement | null>, setText: SetText): void {
  useEffect(() => {
    const typed = field.current?.value;
    if (typed) setText((draft) => (draft === "" || draft === typed ? typed : `${draft}\n${typed}`));
  }, [field, setText]);
}

/** Ready to type, except where that would bring up a keyboard over half the screen. */
export function useFirstFocus(field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches && document.activeElement === document.body)
      field.current?.focus();
  }, [field]);
}

/** What is said under it. */
export const newsLook = "px-3.5 pb-1 text-micro text-ink-3";
