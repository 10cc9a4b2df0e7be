"use client";

import { useEffect, useRef } from "react";
import { isKeys, questionKeys } from "@/components/shell/keys";
export interface QuestionKeys {
  scrollRef: { readonly current: HTMLElement | null };
  isFollowing(): boolean;
  stop(): void;
  toEnd(): void;
  hasMore: boolean;
  /** Resolves when older turns have come. */
  loadOlder(): Promise<void>;
}

/** A question that stands so near to the top of the window, px, is the one that is read. */
const near = 12;

/** Alt with up and down goes from question to question, also to those that are not loaded yet. */
export function useQuestionKeys(keys: QuestionKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let isGoing = false;
    const press = (event: KeyboardEvent) => {
      const by = stepOf(event);
      if (!by || event.defaultPrevented || isWriting(event.target)) return;
      if (document.querySelector("dialog[open]:not([data-drawer]), [role=menu]")) return;
      event.preventDefault();
      if (isGoing) return;
      isGoing = true;
      void step(by, latest).finally(() => {
        isGoing = false;
      });
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

function stepOf(event: KeyboardEvent): -1 | 1 | undefined {
  if (event.isComposing) return undefined;
  if (isKeys(event, questionKeys.previous)) return -1;
  return isKeys(event, questionKeys.next) ? 1 : undefined;
}

/** In a text these keys move the cursor; in an empty field there is nothing to move in. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) return target.value !== "";
  return target instanceof HTMLSelectElement || target.isContentEditable;
}

async function step(by: -1 | 1, latest: { readonly current: QuestionKeys }): Promise<void> {
  const { scrollRef, toEnd } = latest.current;
  let next = neighbour(by, latest.current);
  if (!next && by < 0 && latest.current.hasMore) {
    const first = questionsIn(scrollRef.current)[0];
    await latest.current.loadOlder();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const all = questionsIn(scrollRef.current);
    next = all[all.indexOf(first as HTMLElement) - 1];
  }
  if (!next) return by > 0 ? toEnd() : undefined;
  latest.current.stop();
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  // What is above has a guessed height until it has been drawn once.
  for (let frames = 3; frames > 0; frames--) {
    next.closest("article")?.scrollIntoView({ block: "start" });
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

const questionsIn = (scroller: HTMLElement | null): HTMLElement[] => [
  ...(scroller?.querySelectorAll<HTMLElement>("article [data-role=question]") ?? []),
];

/** Counted from the question whose turn has the focus, else from the end while it is followed, else from what is read. */
function neighbour(by: -1 | 1, { scrollRef, isFollowing }: QuestionKeys): HTMLElement | undefined {
  const scroller = scrollRef.current;
  const questions = questionsIn(scroller);
  const turn = document.activeElement?.closest("article");
  const focused = questions.findIndex((question) => question.closest("article") === turn);
  if (turn && focused >= 0) return questions[focused + by];
  if (isFollowing()) return by < 0 ? questions.at(-1) : undefined;
  const top = scroller?.getBoundingClientRect().top ?? 0;
  const place = (question: HTMLElement) =>
    (question.closest("article") ?? question).getBoundingClientRect().top - top;
  return by < 0
    ? questions.findLast((question) => place(question) < -near)
    : questions.find((question) => place(question) > near);
}
