"use client";

import { messagesToTurns, type TurnView } from "@/lib/client/run/messages-to-turns";
import { markdownCost } from "@/lib/client/text/markdown-cost";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import MarkdownText from "./markdown/markdown-text";
import { Turn } from "./turn/turn";

/**
 * What may be spent on the Markdown of a page, as `markdownCost` counts: a server draws it while others wait, for
 * everybody who has the link. It is enough for hundreds of long answers; those beyond it are plain text.
 */
const maxThreadCost = 2_000_000;

/** A conversation that is only read: complete in the HTML of the server, and its lines open without JavaScript. */
export function ReadOnlyThread({
  messages,
  runs,
  modelName,
}: {
  messages: readonly StoredMessage[];
  runs: readonly RunItem[];
  modelName?: ((id: string) => string) | undefined;
}) {
  let left = maxThreadCost;
  return messagesToTurns(messages, runs).map((turn) => {
    const cost = costOf(turn);
    const fits = cost <= left;
    if (fits) left -= cost;
    const model = turn.answer?.model;
    return (
      <Turn
        key={turn.key}
        turn={turn}
        Text={fits ? MarkdownText : PlainText}
        modelName={model ? modelName?.(model) : undefined}
      />
    );
  });
}

function costOf({ answer }: TurnView): number {
  const items = answer?.view.loops.flatMap((loop) => loop.items) ?? [];
  return items.reduce((sum, item) => sum + (item.kind === "text" ? markdownCost(item.text) : 0), 0);
}

function PlainText({ text, growing }: { text: string; growing: boolean }) {
  return (
    <div className="markdown" data-growing={growing}>
      <p className="whitespace-pre-wrap">{text}</p>
    </div>
  );
}
