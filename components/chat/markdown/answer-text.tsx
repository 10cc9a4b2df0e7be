"use client";

import { lazy, Suspense } from "react";

interface TextProps {
  text: string;
  growing: boolean;
}

// A part of the page that cannot be fetched (a new version was installed meanwhile) must not take the answer with it.
const MarkdownText = lazy(() => loadMarkdown().catch(() => ({ default: PlainText })));

/** The answer as Markdown; until that part of the page has come, its plain words stand in the same place. */
export function AnswerText(props: TextProps) {
  return (
    <Suspense fallback={<PlainText {...props} />}>
      <MarkdownText {...props} />
    </Suspense>
  );
}

/** Fetches what draws answers ahead of the first one. */
export function loadMarkdown() {
  return import("./markdown-text");
}

export function PlainText({ text, growing }: TextProps) {
  return (
    <div className="ans" data-growing={growing || undefined}>
      <p className="whitespace-pre-wrap">{text}</p>
    </div>
  );
}
