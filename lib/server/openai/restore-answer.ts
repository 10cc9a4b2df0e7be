import type { ChatMessage, ToolCall, ToolMessage } from "@/lib/protocol/message";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { messagesOf } from "@/lib/server/loop/stored-run";
import { chainOf } from "@/lib/store/run-chain";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { toCallId } from "./call-refs";

/** An answer to a program, with all that it was not given: calls of Meguri's own tools and their results. */
export interface RestoredAnswer {
  run: RunRow;
  rows: readonly MessageRow[];
  /** All of its last turn, and the run that has asked for them. */
  calls: readonly ToolCall[];
  askedBy: string;
}

/** Undefined where there is none (any more), or somebody else has it. */
export async function restoreAnswer(
  deps: Pick<RunDeps, "store">,
  userId: string,
  runId: string,
): Promise<RestoredAnswer | undefined> {
  const run = await deps.store.runs.get(userId, runId);
  if (!run?.options.program) return undefined;
  const { conversationId, messageId } = run;
  const rows: MessageRow[] = [];
  for (const one of chainOf(await deps.store.runs.ofMessage(conversationId, messageId), runId))
    rows.push(...(await messagesOf(deps, one)));
  const last = rows.findLast(({ message }) => message.role === "assistant");
  if (last?.message.role !== "assistant") return undefined;
  const calls = last.message.parts.filter((part) => part.type === "tool_call");
  return { run, rows, calls, askedBy: last.runId ?? runId };
}

/** Its calls that the program was given, by the ids that it knows them by. */
export function handedCalls({ rows, calls, askedBy }: RestoredAnswer): Map<string, ToolCall> {
  const handed = new Set(
    rows.flatMap(({ message }) =>
      message.role === "tool"
        ? message.results.flatMap(({ id, reason }) => (reason === "handed_over" ? id : []))
        : [],
    ),
  );
  const named = calls.map((call, index) => [toCallId({ runId: askedBy, index }), call] as const);
  return new Map(named.filter(([, { id }]) => handed.has(id)));
}

/** Its messages without what stands in place of the results that the program brings for these calls. */
export function withoutHanded(
  { rows }: RestoredAnswer,
  answered: ReadonlySet<ToolCall["id"]>,
): ChatMessage[] {
  return rows.flatMap(({ message }) => {
    if (message.role !== "tool") return message;
    const results = message.results.filter(({ id, reason }) => reason !== "handed_over" || !answered.has(id));
    if (results.length === message.results.length) return message;
    return results.length === 0 ? [] : ({ ...message, results } satisfies ToolMessage);
  });
}
