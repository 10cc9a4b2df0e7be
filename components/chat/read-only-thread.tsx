"use client";

import { useMemo } from "react";
import { messagesToTurns, type TurnView } from "@/lib/client/run/messages-to-turns";
import type { RunItem, ShareSnapshot, StoredMessage } from "@/lib/protocol/http";
import { markdownCost } from "@/lib/protocol/markdown-cost";
import type { TurnSource } from "./artifacts/artifact-desk";
import { ArtifactPlace } from "./artifacts/artifact-place";
import MarkdownText from "./markdown/markdown-text";
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
export function ReadOnlyThread({ messages, runs, modelName, withheld = nothing }: ReadOnlyThreadProps) {
  const turns = useMemo(() => messagesToTurns(messages, runs), [messages, runs]);
  const source = useMemo<TurnSource>(() => ({ subscribe: () => () => {}, turns: () => turns }), [turns]);
  return (
    <WithheldCalls value={withheld}>
      <ArtifactPlace source={source} isShared>
        <Turns turns={turns} modelName={modelName} />
      </ArtifactPlace>
    </WithheldCalls>
  );
}

function Turns({
  turns,
  modelName,
}: Pick<ReadOnlyThreadProps, "modelName"> & { turns: readonly TurnView[] }) {
  let left = maxThreadCost;
  return turns.map((turn) => {
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
