import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { RunRow } from "@/lib/store/types";
import { isTakenAtOnce } from "./log-window";

/** Whether the row of a run says, before anything is sent, which call it was begun for: that of a program, unless it goes on from a question. */
export const hasIntent = ({ options, continues }: Pick<RunRow, "options" | "continues">): boolean =>
  options.gateway !== undefined && continues === null;

/**
 * What the log of a program's call lacks after a crash, as nobody waits for it: that the call was asked for and, unless `result` says that
 * it was not, that it may have been sent. `asked`: the call as the record has it. Nothing where the log has more to say than its first words.
 */
export function intentMissing(
  row: RunRow,
  log: readonly Chunk[],
  { result, asked }: { result?: ToolResult | undefined; asked?: ToolCall | undefined } = {},
): Chunk[] {
  const { gateway } = row.options;
  if (!gateway || !hasIntent(row) || !log.every(isTakenAtOnce)) return [];
  const { call } = gateway;
  const isSent = result === undefined || result.status === "unknown" || result.reason === undefined;
  const whole: Chunk[] = [
    { type: "iteration", index: 1 },
    { type: "tool_call", call: asked ?? { type: "tool_call", ...call } },
    { type: "usage", stopReason: "tool_use", inputTokens: 0, outputTokens: 0 },
    ...(isSent ? [{ type: "tool_start", id: call.id, args: call.args } as const] : []),
  ];
  return whole.filter(({ type }) => !log.some((chunk) => chunk.type === type));
}
