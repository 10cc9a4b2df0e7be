import type { Chunk } from "./chunk";
import { isFor } from "./chunk-kinds";
import type { RunIteration, RunToolCall } from "./http";
import type { ToolCallId } from "./ids";
import type { OpenCalls } from "./open-calls";
import { addUsage } from "./usage";

/**
 * The loops of a run with their times, from the stamps (`at`) of its log; a time whose stamp is missing is null.
 * Calls belong to the loop that asked for them: what a continuing run answers shows with the logs of the whole chain.
 */
export function timeline(log: Iterable<Chunk>): RunIteration[] {
  const fold = new TimelineFold();
  for (const chunk of log) fold.add(chunk);
  return fold.iterations;
}

/**
 * The times of calls that an earlier run asked for and this log answers; they belong to none of its loops. `before`: what
 * was open when this log began. Of a call that was sent then, what counts is how long this run has waited for it.
 */
export function answeredCalls(log: Iterable<Chunk>, before: Pick<OpenCalls, "get">): RunToolCall[] {
  const own = new Set<ToolCallId>();
  const started = new Map<ToolCallId, Extract<Chunk, { type: "tool_start" }> & { at?: number }>();
  const answered: RunToolCall[] = [];
  for (const chunk of log) {
    if (chunk.type === "tool_call") own.add(chunk.call.id);
    else if (chunk.type === "tool_start") started.set(chunk.id, chunk);
    else if (chunk.type === "tool_result" && !own.has(chunk.result.id)) {
      const { id, status } = chunk.result;
      const wasSent = before.get(id)?.sent === true && chunk.at !== undefined;
      const start = started.get(id);
      const at = start?.at ?? (wasSent ? (chunk.at ?? 0) - chunk.durationMs : undefined);
      answered.push({
        id,
        name: "",
        startedAt: at === undefined ? null : toIso(at),
        durationMs: chunk.durationMs,
        status,
        ...(start?.plan && { plan: start.plan }),
        ...(start?.flows && { flows: start.flows }),
      });
    }
  }
  return answered;
}

interface OpenIteration {
  item: RunIteration;
  at: number | undefined;
  /** Since when it reasons. */
  thinksFrom?: number | undefined;
  hasShown: boolean;
  isWhole: boolean;
}

/** The same fold chunk by chunk, for a run that goes on; what it has found changes in place. */
export class TimelineFold {
  readonly iterations: RunIteration[] = [];
  /** By agent path; agents that run side by side are each in a loop of their own. */
  private readonly current = new Map<string, OpenIteration>();
  private readonly calls = new Map<ToolCallId, RunToolCall>();
  private lastAt = 0;
  /** What is told before the first loop, of a call that an earlier run asked for: it shows with the first. */
  private early: Pick<RunIteration, "notices"> = {};

  add(chunk: Chunk): void {
    const { at, agent = "" } = chunk;
    this.lastAt = at ?? this.lastAt;
    const open = this.current.get(agent);
    if (!isFor("timeline", chunk)) return;
    switch (chunk.type) {
      case "iteration":
        this.begin(chunk, agent);
        return;
      case "reasoning":
        noteFirstToken(open, at);
        if (open) open.thinksFrom ??= at;
        return;
      case "text":
      case "tool_input":
        noteFirstToken(open, at);
        noteThought(open, at);
        return;
      case "tool_call":
        noteFirstToken(open, at);
        noteThought(open, at);
        this.noteCall(open, { id: chunk.call.id, name: chunk.call.name });
        return;
      case "usage":
        noteThought(open, at);
        noteUsage(open, chunk, at);
        return;
      case "notice":
        if (open) noteNotice(open.item, chunk);
        else noteNotice(this.early, chunk);
        return;
      case "tool_start":
        Object.assign(this.calls.get(chunk.id) ?? {}, {
          startedAt: at === undefined ? null : toIso(at),
          ...(chunk.plan && { plan: chunk.plan }),
          ...(chunk.flows && { flows: chunk.flows }),
        });
        return;
      case "tool_result": {
        const { result, durationMs } = chunk;
        Object.assign(this.calls.get(result.id) ?? {}, { status: result.status, durationMs });
        return;
      }
      case "result":
        for (const iteration of this.current.values()) dropBrokenCalls(iteration);
        return;
    }
    chunk satisfies never;
  }

  private begin({ index, limit, copied, at }: Extract<Chunk, { type: "iteration" }>, agent: string): void {
    const before = this.current.get(agent);
    if (before) dropBrokenCalls(before);
    const item: RunIteration = {
      index,
      ...(limit !== undefined && { limit }),
      startedAt: toIso(this.lastAt),
      timeToFirstTokenMs: null,
      latencyMs: null,
      usage: { inputTokens: 0, outputTokens: 0 },
      toolCalls: [],
      ...(agent && { agent }),
      ...(copied && { copied }),
      ...this.early,
    };
    this.early = {};
    this.iterations.push(item);
    this.current.set(agent, { item, at, hasShown: false, isWhole: false });
  }

  private noteCall(open: OpenIteration | undefined, { id, name }: Pick<RunToolCall, "id" | "name">): void {
    const call: RunToolCall = { id, name, startedAt: null, durationMs: null, status: "open" };
    this.calls.set(id, call);
    open?.item.toolCalls.push(call);
  }
}

const maxNotices = 20;

function noteNotice(
  item: Pick<RunIteration, "notices">,
  { kind, message }: Extract<Chunk, { type: "notice" }>,
): void {
  item.notices ??= [];
  if (item.notices.length < maxNotices) item.notices.push({ kind, message });
}

function noteFirstToken(open: OpenIteration | undefined, at: number | undefined): void {
  if (!open || open.hasShown) return;
  open.hasShown = true;
  open.item.timeToFirstTokenMs = between(open.at, at);
}

function noteThought(open: OpenIteration | undefined, at: number | undefined): void {
  const elapsed = between(open?.thinksFrom, at);
  if (!open || elapsed === null) return;
  open.item.reasoningMs = (open.item.reasoningMs ?? 0) + elapsed;
  open.thinksFrom = undefined;
}

function noteUsage(
  open: OpenIteration | undefined,
  chunk: Extract<Chunk, { type: "usage" }>,
  at?: number,
): void {
  if (!open) return;
  addUsage(open.item.usage, chunk);
  if (!chunk.stopReason) return;
  open.isWhole = chunk.stopReason !== "max_tokens";
  // The stamps first, so that every reader of a log derives the same times.
  open.item.latencyMs = between(open.at, at) ?? chunk.latencyMs ?? null;
  open.item.timeToFirstTokenMs ??= chunk.timeToFirstTokenMs ?? null;
}

/** Calls of a turn that broke or was cut off do not count. */
function dropBrokenCalls({ item, isWhole }: OpenIteration): void {
  if (!isWhole) item.toolCalls = [];
}

const between = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? null : Math.max(0, to - from);

const toIso = (at: number) => new Date(at).toISOString();
