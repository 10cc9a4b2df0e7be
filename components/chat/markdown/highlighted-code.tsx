"use client";

import { type ComponentProps, isValidElement, type ReactNode } from "react";
import { CodeBlock } from "@/components/ui/code/code-block";
import { languageOf } from "@/components/ui/code/markdown-policy";
import { Code } from "./code-pieces";

/** A piece of code inside another block, with the weights and slopes of its language. */
export function HighlightedCode({ children }: ComponentProps<"pre"> & { node?: unknown }) {
  const language = languageOf(children);
  return (
    <CodeBlock language={language}>
      <Code pieces={[textOf(children)]} language={language ?? ""} open={false} />
    </CodeBlock>
  );
}

function textOf(code: ReactNode): string {
  if (!isValidElement<{ children?: ReactNode }>(code)) return "";
  const { children } = code.props;
  return typeof children === "string" ? children.replace(/\n$/, "") : "";
}
