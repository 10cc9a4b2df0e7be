"use client";

import { memo, type ReactNode, startTransition, useEffect, useState } from "react";
import { withBlocks } from "@/components/ui/redacted";
import { fenceHead, linesOfPiece } from "@/lib/client/text/markdown-pieces";
import { CodeFrame } from "./code-frame";
import { DiagramOr } from "./diagram-or";
import { FencedCode } from "./fenced-code";
import { highlight } from "./highlight";
import type { CodeToken } from "./highlight-worker";

export interface CodePiecesProps {
  /** The first line of its fence. */
  head: string;
  pieces: readonly string[];
  /** It is being written: it gets the weights of its language once it is whole. */
  open: boolean;
}

/** A piece of code that grows: lines that stand are neither rendered nor laid out again. */
export function CodePieces({ head, pieces, open }: CodePiecesProps) {
  const [, fence = "", language = ""] = fenceHead.exec(head) ?? [];
  const shown = withoutEnd(pieces, fence);
  const code = (
    <FencedCode code={shown.join("")} open={open}>
      <CodeFrame language={language || undefined} pieces={shown} open={open}>
        <Code pieces={shown} language={language} open={open} />
      </CodeFrame>
    </FencedCode>
  );
  return (
    <DiagramOr language={language} text={shown.join("")} open={open}>
      {code}
    </DiagramOr>
  );
}

interface CodeProps {
  pieces: readonly string[];
  language: string;
  open: boolean;
}

/** Code with the weights and slopes of its language, as soon as the worker has found them. */
export function Code({ pieces, language, open }: CodeProps) {
  // Its language would take the marks of redacted texts apart.
  const isPlain = pieces.some((piece) => piece.includes("█"));
  const lines = useHighlight(pieces, isPlain ? "" : language, open);
  return (
    <code>
      {pieces.map((text, at) => (
        <Lines
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever appended
          key={at}
          text={text}
          isLast={at === pieces.length - 1}
          tokens={lines?.[at]}
        />
      ))}
    </code>
  );
}

interface LinesProps {
  text: string;
  isLast: boolean;
  tokens: CodeToken[][] | undefined;
}

const Lines = memo(function Lines({ text, isLast, tokens }: LinesProps) {
  const content = tokens ? [...tokens.map(Line), text.endsWith("\n") && "\n"] : withBlocks(text);
  return isLast ? content : <span className="piece">{content}</span>;
});

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

/** The tokens of each line of each piece. */
function useHighlight(
  pieces: readonly string[],
  language: string,
  open: boolean,
): readonly CodeToken[][][] | undefined {
  const code = open || !language ? "" : pieces.join("");
  const [found, setFound] = useState<{ code: string; lines: CodeToken[][][] } | null>(null);
  useEffect(() => {
    if (code === "") return;
    let wanted = true;
    void highlight(code, language).then((lines) => {
      // Thousands of them are drawn without holding up a key.
      if (wanted && lines) startTransition(() => setFound({ code, lines: byPiece(lines) }));
    });
    return () => {
      wanted = false;
    };
  }, [code, language]);
  return found?.code === code ? found.lines : undefined;
}

function byPiece(lines: CodeToken[][]): CodeToken[][][] {
  const pieces: CodeToken[][][] = [];
  for (let at = 0; at < lines.length; at += linesOfPiece) pieces.push(lines.slice(at, at + linesOfPiece));
  return pieces;
}

/** Without the line that closes the fence, and without the end of the last line. */
function withoutEnd(pieces: readonly string[], fence: string): string[] {
  const done = pieces.slice(0, -1);
  const last = (pieces.at(-1) ?? "").replace(/\n\s*$/, "\n");
  const from = last.trimEnd().lastIndexOf("\n") + 1;
  const [, closing] = closingLine.exec(last.slice(from)) ?? [];
  const code = closing?.startsWith(fence) ? last.slice(0, from) : last;
  const before = done.at(-1);
  if (code === "" && before !== undefined) return [...done.slice(0, -1), before.replace(/\n$/, "")];
  return [...done, code.replace(/\n$/, "")];
}

const closingLine = /^ {0,3}(`{3,}|~{3,})[ \t]*\n?$/;
