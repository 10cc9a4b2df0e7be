"use client";

import { type ComponentType, createContext, lazy, Suspense, useContext } from "react";

interface TextProps {
  text: string;
  growing: boolean;
}

// A part of the page that cannot be fetched (a new version was installed meanwhile) must not take the answer with it.
const MarkdownText = lazy(() => loadMarkdown().catch(() => ({ default: PlainText })));

/** What draws answers, where it came with the page. */
export const ReadyMarkdown = createContext<ComponentType<TextProps> | null>(null);

/** The answer as Markdown. Until that part of the page has come, it keeps its place and is not seen: its marks are not for readers. */
export function AnswerText(props: TextProps) {
  const Ready = useContext(ReadyMarkdown);
  if (Ready) return <Ready {...props} />;
  return (
    <Suspense
      fallback={
        <div className="invisible">
          <PlainText {...props} />
        </div>
      }
    >
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
    <div className="markdown" data-growing={growing}>
      <p className="whitespace-pre-wrap">{text}</p>
    </div>
  );
}
