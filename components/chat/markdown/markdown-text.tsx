"use client";

import { memo, useState } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import remend from "remend";
import { markdownPolicy, safeUrl } from "@/components/ui/code/markdown-policy";
import { MarkdownBlocks } from "@/lib/client/text/markdown-blocks";
import { markdownCost, maxBlockCost } from "@/lib/client/text/markdown-cost";
import { HighlightedCode } from "./highlighted-code";

/**
 * Markdown that is being written: only the block at the end is parsed again when text comes, all others stand.
 * No raw HTML; links and pictures as the policy says. What is half-written at the very end is closed for show. A block
 * that would hold everybody up is plain text.
 */
export default function MarkdownText({ text, growing }: { text: string; growing: boolean }) {
  const [splitter] = useState(() => new MarkdownBlocks());
  const blocks = splitter.split(text);
  return (
    <div className="markdown" data-growing={growing}>
      {blocks.map((block, at) => (
        <Block
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever appended
          key={at}
          text={block}
          open={growing && at === blocks.length - 1}
        />
      ))}
    </div>
  );
}

const Block = memo(function Block({ text, open }: { text: string; open: boolean }) {
  if (markdownCost(text) > maxBlockCost) return <p className="whitespace-pre-wrap">{text}</p>;
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      urlTransform={safeUrl}
      components={open ? openComponents : components}
    >
      {open ? remend(text) : text}
    </ReactMarkdown>
  );
});

const plugins = [remarkGfm];
const openComponents: Components = markdownPolicy;
/** Code is coloured once its block is closed. */
const components: Components = { ...markdownPolicy, pre: HighlightedCode };
