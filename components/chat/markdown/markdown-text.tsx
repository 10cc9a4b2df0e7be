"use client";

import { memo, useEffect, useReducer, useState } from "react";
import { MarkdownBlocks } from "@/lib/client/text/markdown-blocks";
import type { MarkdownBlock } from "@/lib/client/text/markdown-pieces";
import { Growing } from "./data-table";
import { BlockDrawing } from "./draw-block";
import { Pace } from "./pace";

/** Blocks that are laid out, or left out of sight, together. */
const blocksOfPart = 8;

/**
 * Markdown that is being written: only the piece at the end is parsed again when text comes, all before it stands.
 * No raw HTML; links and pictures as the policy says. What is half-written at the very end is closed for show. A block
 * that would hold everybody up is plain text.
 */
export default function MarkdownText({ text, growing }: { text: string; growing: boolean }) {
  const [splitter] = useState(() => new MarkdownBlocks());
  const blocks = splitter.split(text);
  const parts = Array.from({ length: Math.ceil(blocks.length / blocksOfPart) }, (_, at) =>
    blocks.slice(at * blocksOfPart, (at + 1) * blocksOfPart),
  );
  return (
    <div className="markdown" data-growing={growing}>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever appended
        <Part key={at} blocks={part} open={growing && at === parts.length - 1} />
      ))}
    </div>
  );
}

interface PartProps {
  blocks: readonly MarkdownBlock[];
  open: boolean;
}

const Part = memo(
  function Part({ blocks, open }: PartProps) {
    return (
      <div className="part">
        {blocks.map((block, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever appended
          <Block key={at} block={block} open={open && at === blocks.length - 1} />
        ))}
      </div>
    );
  },
  (before, now) =>
    before.open === now.open &&
    before.blocks.length === now.blocks.length &&
    before.blocks.every((block, at) => block === now.blocks[at]),
);

const Block = memo(function Block({ block, open }: { block: MarkdownBlock; open: boolean }) {
  const [drawing] = useState(() => new BlockDrawing());
  const [pace] = useState(() => new Pace());
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  const shown = open ? pace.next(block) : block;
  const isBehind = shown !== block;
  useEffect(() => {
    if (!isBehind) return;
    const timer = setTimeout(drawAgain, pace.waitMs);
    return () => clearTimeout(timer);
  });
  return <Growing value={open}>{drawing.draw(shown, open)}</Growing>;
});
