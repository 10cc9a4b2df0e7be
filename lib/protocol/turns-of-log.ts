import type { Chunk } from "./chunk";
import type { ToolCallId } from "./ids";
import type { ToolResult } from "./message";
import type { Usage } from "./usage";
import { addUsage } from "./usage";

/** A call as answers are compared by it. */
export interface ComparedCall {
  name: string;
  args: Record<string, unknown>;
  status: ToolResult["status"] | "open";
  /** Nothing was sent for it: its result comes from a recording, or it was not run. */
  sent: boolean;
  /** The recording does not have it, and a person was asked. */
  missed?: true;
  durationMs: number | null;
}

/** One turn of a model with the calls that it asked for. */
export interface ComparedTurn {
  text: string;
  calls: ComparedCall[];
  usage: Usage;
}

/** The turns of an answer, in their order, from the logs of all its runs. Turns in which the model was not asked are none. */
export function turnsOf(log: Iterable<Chunk>): ComparedTurn[] {
  const turns: (ComparedTurn & { isWhole?: true })[] = [];
  const current = new Map<string, (typeof turns)[number]>();
  const calls = new Map<ToolCallId, ComparedCall>();
  for (const chunk of log) {
    const turn = current.get(chunk.agent ?? "");
    if (chunk.type === "iteration") {
      const begun = { text: "", calls: [], usage: { inputTokens: 0, outputTokens: 0 } };
      current.set(chunk.agent ?? "", begun);
      turns.push(begun);
    } else if (chunk.type === "text" && turn) turn.text += chunk.content;
    else if (chunk.type === "tool_call" && turn) {
      const { id, name, args } = chunk.call;
      const call: ComparedCall = { name, args, status: "open", sent: false, durationMs: null };
      calls.set(id, call);
      turn.calls.push(call);
    } else if (chunk.type === "usage" && turn) {
      addUsage(turn.usage, chunk);
      if (chunk.stopReason && chunk.stopReason !== "max_tokens") turn.isWhole = true;
    } else if (chunk.type === "approval_request") {
      const call = chunk.reason === "tape" && calls.get(chunk.call.id);
      if (call) call.missed = true;
    } else if (chunk.type === "tool_start") {
      const call = calls.get(chunk.id);
      if (call) call.sent = true;
    } else if (chunk.type === "tool_result") {
      const call = calls.get(chunk.result.id);
      if (call) Object.assign(call, { status: chunk.result.status, durationMs: chunk.durationMs });
    }
  }
  return turns.flatMap(({ isWhole, ...turn }) => {
    // Calls of a turn that broke off or was cut off do not count.
    const asked = isWhole ? turn.calls : [];
    const isEmpty = turn.text === "" && asked.length === 0 && turn.usage.outputTokens === 0;
    return isEmpty && !isWhole ? [] : { ...turn, calls: asked };
  });
}
