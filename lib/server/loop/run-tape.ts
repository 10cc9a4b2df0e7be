import type { ToolBox, ToolSpec } from "@/lib/agent/ports";
import { noMisses, recordedTools } from "@/lib/agent/recorded-tools";
import type { Verdict } from "@/lib/agent/with-approval";
import { answerToolName } from "@/lib/agent/with-structured-output";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ChatMessage, ToolCall } from "@/lib/protocol/message";
import type { TapeMisses } from "@/lib/protocol/tape";
import { chainOf } from "@/lib/store/run-chain";
import type { RunRow } from "@/lib/store/types";
import type { RunDeps } from "./run-deps";
import { readTools } from "./sent-requests";
import { readReadable } from "./stored-run";

/** A recorded answer: what all its runs have logged, the copies that it began with, and the tools that its model was offered. */
export interface RunTape {
  misses: TapeMisses;
  recording: Chunk[];
  /** Absent where the recording does not say. */
  specs?: ToolSpec[];
}

type TapeDeps = Pick<RunDeps, "store" | "log">;

/** The tape that a run names, read from what is stored, so that it is found again after a restart. One that is gone is empty. */
export async function readTape(
  deps: TapeDeps,
  { userId, options: { tape } }: Pick<RunRow, "userId" | "options">,
): Promise<RunTape | undefined> {
  if (!tape) return undefined;
  const origin = await deps.store.runs.get(userId, tape.runId);
  const runs = origin ? await readAnswerOf(deps, origin) : [];
  const recording = runs[0] ? await readCopies(deps, runs[0]) : [];
  const specs = new Map<string, ToolSpec>();
  for (const { id } of runs) {
    const log = (await readReadable(deps, id)).map(({ data }) => data);
    for (const chunk of log) recording.push(chunk);
    // The model is given the last one beside the tools, not by them.
    for (const spec of await readSpecs(deps, id, log))
      if (spec.name !== answerToolName && !specs.has(spec.name)) specs.set(spec.name, spec);
  }
  return { misses: tape.misses, recording, ...(specs.size > 0 && { specs: [...specs.values()] }) };
}

/** The runs of the answer that a run is of, the first one first. */
export const readAnswerOf = async ({ store }: Pick<RunDeps, "store">, row: RunRow): Promise<RunRow[]> =>
  chainOf(await store.runs.ofMessage(row.conversationId, row.messageId), row.id);

/** What a fork began with, as a log has it. */
export async function readCopies({ store }: Pick<RunDeps, "store">, first: RunRow): Promise<Chunk[]> {
  if (first.parentId === first.messageId) return [];
  const { rows } = await store.messages.branch(first.conversationId, first.parentId);
  const copies = rows.slice(rows.findIndex(({ id }) => id === first.messageId) + 1);
  return copies.flatMap(({ message }) => asChunks(message));
}

function asChunks(message: ChatMessage): Chunk[] {
  if (message.role === "tool")
    return message.results.map((result) => ({ type: "tool_result", result, durationMs: 0 }));
  if (message.role !== "assistant") return [];
  const said = message.parts.flatMap((part): Chunk[] => {
    if (part.type === "reasoning") return [];
    return [part.type === "text" ? { type: "text", content: part.text } : { type: "tool_call", call: part }];
  });
  return [{ type: "iteration", index: 0 }, ...said, { ...ended, stopReason: "end_turn" }];
}

const ended = { type: "usage", inputTokens: 0, outputTokens: 0 } as const;

async function readSpecs({ store }: TapeDeps, runId: string, log: readonly Chunk[]): Promise<ToolSpec[]> {
  const hashes = new Set(log.flatMap((chunk) => (chunk.type === "request" && chunk.tools) || []));
  const contents = await store.log.contents(runId, [...hashes]);
  return [...hashes].flatMap((hash) => readTools(contents.get(hash) ?? null) ?? []);
}

/**
 * Results from the tape in place of calls. Outermost: what is recorded was checked and judged when it was recorded, and nothing is
 * sent. Our own tools send nothing either, so that a strict tape lets them answer what it does not have.
 */
export function withTape(tools: ToolBox, tape: RunTape, past: Iterable<Chunk>): ToolBox {
  const strictly: Pick<ToolBox, "call"> = {
    call: (call, context) => (isOwn(call) ? tools : noMisses).call(call, context),
  };
  const recorded = recordedTools(tape.recording, {
    past,
    misses: tape.misses === "strict" ? strictly : tools,
  });
  const { specs } = tape;
  return { ...recorded, list: specs ? () => specs : () => tools.list() };
}

const isOwn = ({ name }: ToolCall): boolean => name.startsWith("meguri__");

/** Asks about every call, whatever rule allows it; one answer is enough. What is denied or has changed stays so. */
export const askMisses =
  (policy: (call: ToolCall) => Promise<Verdict>): ((call: ToolCall) => Promise<Verdict>) =>
  async (call) => {
    const verdict = await policy(call);
    if (verdict === "allow") return { ask: "tape" };
    if ("allow" in verdict) return { ask: "tape", ...verdict.allow };
    return "ask" in verdict && verdict.ask === "rule" ? { ...verdict, ask: "tape" } : verdict;
  };
