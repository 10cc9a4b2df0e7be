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
    let isLoading = false;
    let presses = 0;
    const press = (event: KeyboardEvent) => {
      const by = stepOf(event);
      if (!by || event.defaultPrevented || isWriting(event.target)) return;
      if (document.querySelector("dialog[open]:not([data-drawer]), [role=menu]")) return;
      event.preventDefault();
      if (isLoading) return;
      presses += 1;
      const number = presses;
      isLoading = true;
      void next(by, latest)
        .finally(() => {
          isLoading = false;
        })
        .then((question) => question && show(question, () => number === presses));
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

/** The question that it goes to now, with the focus on it. */
async function next(
  by: -1 | 1,
  latest: { readonly current: QuestionKeys },
): Promise<HTMLElement | undefined> {
  const { scrollRef, toEnd } = latest.current;
  let found = neighbour(by, latest.current);
  if (!found && by < 0 && latest.current.hasMore) {
    const first = questionsIn(scrollRef.current)[0];
    await latest.current.loadOlder();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const all = questionsIn(scrollRef.current);
    found = all[all.indexOf(first as HTMLElement) - 1];
  }
  if (!found && by > 0) toEnd();
  if (!found) return undefined;
  latest.current.stop();
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  return found;
}

/** What is above has a guessed height until it has been drawn once, so it scrolls again, unless the next key has come. */
async function show(question: HTMLElement, isLatest: () => boolean): Promise<void> {
  for (let frames = 3; frames > 0 && isLatest(); frames--) {
    question.closest("article")?.scrollIntoView({ block: "start" });
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
