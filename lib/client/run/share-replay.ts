import type { Chunk, StepRecord } from "@/lib/protocol/chunk";
import type { RunItem } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { ReplayRun, ReplayStep } from "@/lib/protocol/share-replay";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { runsOfTurns } from "./answer-chain";
import { messagesToTurns, type TurnView } from "./messages-to-turns";

/** A turn of a copy with how its answer came to be. */
export interface ReplayTurn {
  /** As the copy shows it. */
  turn: TurnView;
  /** In order of their times; empty: the answer is there at once. */
  events: readonly ReplayEvent[];
}

export interface ReplayEvent {
  step: ReplayStep | { is: "open"; runId: string };
  /** Epoch ms, and when the next one comes. */
  at: number;
  until: number;
  /** Absent where the view does not change. */
  chunk?: Chunk;
}

/** The turns of a copy, with the chunks that the live view had; their words are those of the copy. */
export function replayTurns(snapshot: ShareSnapshot): ReplayTurn[] {
  const { messages, runs, replay } = snapshot;
  const played = new Map(replay?.runs.map((run) => [run.runId, run]));
  const source = new CopySource(snapshot);
  const chains = runsOfTurns(messages, runs);
  return messagesToTurns(messages, runs).map((turn, at) => {
    const chain = (chains[at] ?? []).map((run) => ({ run, played: played.get(run.id) }));
    // An answer that began elsewhere, as a fork does, has no time of its own for what it has taken along.
    const isWhole = chain.length > 0 && chain.every((each) => each.played) && !turn.answer?.fork;
    return { turn, events: isWhole ? eventsOf(chain, source) : [] };
  });
}

function eventsOf(
  chain: readonly { run: RunItem; played: ReplayRun | undefined }[],
  source: CopySource,
): ReplayEvent[] {
  const events: ReplayEvent[] = [];
  let now = 0;
  for (const { run, played } of chain) {
    if (!played) continue;
    const notices = run.iterations.flatMap((iteration) => iteration.notices ?? []);
    const own = { notices, steps: [...(run.steps ?? [])] };
    now = Math.max(now, played.from);
    events.push({ step: { is: "open", runId: run.id }, at: now, until: now });
    for (const step of played.steps) {
      now = Math.max(now, played.from + step.at);
      const chunk = source.chunkOf(step, now, own);
      events.push({ step, at: now, until: now, ...(chunk && { chunk }) });
    }
  }
  return events.map((event, at) => ({ ...event, until: events[at + 1]?.at ?? event.at }));
}

type Chunks = { notices: NonNullable<RunItem["iterations"][number]["notices"]>; steps: StepRecord[] };

/** Reads what steps name from the copy. What is not there, as a hidden thought, comes to nothing. */
class CopySource {
  private readonly results = new Map<ToolCallId, ToolResult[]>();
  private readonly calls = new Map<ToolCallId, ToolCall>();
  /** How much of each part has come. */
  private readonly written = new Map<string, number>();
  private readonly told = new Map<object, number>();

  constructor(private readonly snapshot: ShareSnapshot) {
    for (const message of snapshot.messages) {
      if (message.role === "tool")
        for (const result of message.results)
          this.results.set(result.id, [...(this.results.get(result.id) ?? []), result]);
      if (message.role === "assistant")
        for (const part of message.parts) if (part.type === "tool_call") this.calls.set(part.id, part);
    }
  }

  chunkOf(step: ReplayStep, at: number, own: Chunks): Chunk | undefined {
    const chunk = this.wordsOf(step, own);
    return chunk && { ...chunk, at, ...(step.agent !== undefined && { agent: step.agent }) };
  }

  private wordsOf(step: ReplayStep, own: Chunks): Chunk | undefined {
    switch (step.is) {
      case "loop":
        return {
          ...{ type: "iteration", index: step.index },
          ...(step.limit !== undefined && { limit: step.limit }),
        };
      case "part":
        return this.piece(step);
      case "call": {
        const part = this.partOf(step);
        return part?.type === "tool_call" ? { type: "tool_call", call: part } : undefined;
      }
      case "writing":
        return { type: "tool_input", id: step.id, name: step.name, content: "" };
      case "start": {
        const args = this.results.get(step.id)?.[0]?.args ?? this.calls.get(step.id)?.args ?? {};
        return { type: "tool_start", id: step.id, args };
      }
      case "result": {
        const results = this.results.get(step.id);
        const result = results && results.length > 1 ? results.shift() : results?.[0];
        return result && { type: "tool_result", result, durationMs: step.ms };
      }
      case "turn":
        return { type: "usage", ...step.usage, ...(step.stopReason && { stopReason: step.stopReason }) };
      case "message": {
        const message = this.snapshot.messages[step.message];
        if (message?.role !== "user" && message?.role !== "summary") return undefined;
        return { type: "message", id: message.id, message };
      }
      case "notice": {
        const at = own.notices.findIndex(({ kind }, index) => kind === step.kind && index >= this.next(own));
        const notice = own.notices[at];
        if (!notice) return undefined;
        this.told.set(own, at + 1);
        return { type: "notice", ...notice };
      }
      case "step": {
        const record = own.steps.shift();
        if (!record) return undefined;
        return { type: "agent", name: record.agent, output: "", state: {}, ...record };
      }
      case "end":
        return ended(step.stopReason);
      case "ask":
      case "answer":
        // What was asked is not told; that time passed is.
        return { type: "agent", name: "", event: "start" };
    }
  }

  private next(own: object): number {
    return this.told.get(own) ?? 0;
  }

  private partOf({ message, part }: { message: number; part: number }) {
    const own = this.snapshot.messages[message];
    return own?.role === "assistant" ? own.parts[part] : undefined;
  }

  private piece(step: ReplayStep & { is: "part" }): Chunk | undefined {
    const part = this.partOf(step);
    if (!part || part.type === "tool_call") return undefined;
    const key = `${step.message}.${step.part}`;
    const content = part.text.slice(this.written.get(key) ?? 0, step.to);
    this.written.set(key, step.to);
    if (part.type === "text" && part.format) return { type: "text", content, format: part.format };
    return { type: part.type, content };
  }
}

function ended(stopReason: Extract<ReplayStep, { is: "end" }>["stopReason"]): Chunk {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const told = {
    historyDelta: [],
    finalText: "",
    iterationsUsed: 0,
    timedOut: stopReason === "timeout",
    usage,
  };
  return { type: "result", result: { stopReason, ...told } };
}
