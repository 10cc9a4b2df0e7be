"use client";

import { lazy, Suspense } from "react";

const MarkdownText = lazy(loadMarkdown);

/** The answer as Markdown; until that part of the page has come, its plain words stand in the same place. */
export function AnswerText(props: { text: string; growing: boolean }) {
  return (
    <Suspense fallback={<div className="ans whitespace-pre-wrap">{props.text}</div>}>
      <MarkdownText {...props} />
    </Suspense>
  );
}

/** Fetches what draws answers ahead of the first one. */
export function loadMarkdown() {
  return import("./markdown/markdown-text");
}
