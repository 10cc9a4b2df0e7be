"use client";

import { type ReactNode, useMemo } from "react";
import { withBlocks } from "@/components/ui/redacted";
import { messagesToTurns, type TurnView } from "@/lib/client/run/messages-to-turns";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import { markdownCost } from "@/lib/protocol/markdown-cost";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import type { TurnSource } from "./artifacts/artifact-desk";
import { ArtifactPlace } from "./artifacts/artifact-place";
import MarkdownText from "./markdown/markdown-text";
import type { AnswerText } from "./turn/loop";
import { Turn } from "./turn/turn";
import { WithheldCalls } from "./turn/withheld";

/**
 * What may be spent on the Markdown of a page, as `markdownCost` counts: a server draws it while others wait, for
 * everybody who has the link. It is enough for hundreds of long answers; those beyond it are plain text.
 */
const maxThreadCost = 2_000_000;

export interface ReadOnlyThreadProps {
  messages: readonly StoredMessage[];
  runs: readonly RunItem[];
  modelName?: ((id: string) => string) | undefined;
  withheld?: ShareSnapshot["withheld"];
}

const nothing: NonNullable<ShareSnapshot["withheld"]> = {};

/** A conversation that is only read: complete in the HTML of the server, and its lines open without JavaScript. */
export function ReadOnlyThread({ messages, runs, modelName, withheld }: ReadOnlyThreadProps) {
  const turns = useMemo(() => messagesToTurns(messages, runs), [messages, runs]);
  const texts = useMemo(() => textsOf(turns), [turns]);
  return (
    <ReadOnlyPlace turns={turns} withheld={withheld}>
      {turns.map((turn, at) => (
        <Turn
          key={turn.key}
          turn={turn}
          Text={texts[at] ?? PlainText}
          modelName={turn.answer?.model ? modelName?.(turn.answer.model) : undefined}
        />
      ))}
    </ReadOnlyPlace>
  );
}

/** What turns that are only read have around them. */
export function ReadOnlyPlace({
  turns,
  withheld = nothing,
  children,
}: {
  turns: readonly TurnView[];
  withheld: ShareSnapshot["withheld"];
  children: ReactNode;
}) {
  const source = useMemo<TurnSource>(() => ({ subscribe: () => () => {}, turns: () => turns }), [turns]);
  return (
    <WithheldCalls value={withheld}>
      <ArtifactPlace source={source} isShared>
        {children}
      </ArtifactPlace>
    </WithheldCalls>
  );
}

/** What draws the text of each turn: Markdown, as long as it may be spent. */
export function textsOf(turns: readonly TurnView[]): AnswerText[] {
  let left = maxThreadCost;
  return turns.map((turn) => {
    const cost = costOf(turn);
    if (cost > left) return PlainText;
    left -= cost;
    return MarkdownText;
  });
}

function costOf({ answer }: TurnView): number {
  const items = answer?.view.loops.flatMap((loop) => loop.items) ?? [];
  return items.reduce((sum, item) => sum + (item.kind === "text" ? markdownCost(item.text) : 0), 0);
}

function PlainText({ text, growing }: { text: string; growing: boolean }) {
  return (
    <div className="markdown" data-growing={growing}>
      <p className="whitespace-pre-wrap">{withBlocks(text)}</p>
    </div>
  );
}
