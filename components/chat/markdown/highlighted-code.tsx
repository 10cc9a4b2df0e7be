"use client";

import { type ComponentProps, isValidElement, type ReactNode, useEffect, useState } from "react";
import { CodeBlock } from "@/components/ui/code/code-block";
import { languageOf } from "@/components/ui/code/markdown-policy";
import { highlight } from "./highlight";
import type { CodeToken } from "./highlight-worker";

/** A piece of code with the weights and slopes of its language, as soon as the worker has found them. */
export function HighlightedCode({ children }: ComponentProps<"pre"> & { node?: unknown }) {
  const language = languageOf(children);
  const code = textOf(children);
  const [found, setFound] = useState<{ code: string; lines: CodeToken[][] } | null>(null);
  useEffect(() => {
    if (!language) return;
    let wanted = true;
    void highlight(code, language).then((lines) => {
      if (wanted && lines) setFound({ code, lines });
    });
    return () => {
      wanted = false;
    };
  }, [code, language]);
  return (
    <CodeBlock language={language}>
      <code>{found?.code === code ? found.lines.map(Line) : code}</code>
    </CodeBlock>
  );
}

function Line(tokens: CodeToken[], at: number): ReactNode {
  return (
    <span key={at}>
      {at > 0 && "\n"}
      {tokens.map(({ text, kind }, index) =>
        kind ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: nor do their tokens
          <span key={index} className={`tok-${kind}`}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </span>
  );
}

function textOf(code: ReactNode): string {
  if (!isValidElement<{ children?: ReactNode }>(code)) return "";
  const { children } = code.props;
  return typeof children === "string" ? children.replace(/\n$/, "") : "";
}
