"use client";

import { type ComponentProps, isValidElement, type ReactNode } from "react";
import { languageOf } from "@/components/ui/code/markdown-policy";
import { CodeFrame } from "./code-frame";
import { Code } from "./code-pieces";
import { DiagramOr } from "./diagram-or";
import { FencedCode } from "./fenced-code";

/** A piece of code inside another block, with the weights and slopes of its language. */
export function HighlightedCode({ children }: ComponentProps<"pre"> & { node?: unknown }) {
  const language = languageOf(children);
  const text = textOf(children);
  return (
    <DiagramOr language={language} text={text} open={false}>
      <FencedCode code={text} open={false}>
        <CodeFrame language={language} pieces={[text]} open={false}>
          <Code pieces={[text]} language={language ?? ""} open={false} />
        </CodeFrame>
      </FencedCode>
    </DiagramOr>
  );
}

function textOf(code: ReactNode): string {
  if (!isValidElement<{ children?: ReactNode }>(code)) return "";
  const { children } = code.props;
  return typeof children === "string" ? children.replace(/\n$/, "") : "";
}
