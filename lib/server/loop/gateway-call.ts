import { executeInSteps } from "@/lib/agent/execute-with-tools-stream";
import type { Provider, ToolBox } from "@/lib/agent/ports";
import type { RunTrace } from "@/lib/agent/with-tracing";
import type { Chunk } from "@/lib/protocol/chunk";
import type { GatewayCall } from "@/lib/protocol/gateway";
import type { ChatMessage, ToolCall, ToolResult } from "@/lib/protocol/message";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";
import { callableTools } from "./run-tools";
import { sessionTexts } from "./session-texts";

/** Longer than any server may take; the time limits of the call itself end it before. */
const timeoutMs = 24 * 60 * 60_000;

/** The loop round the one call of a program: no model is asked, and the answer ends with the result. */
export function executeCall(
  deps: RunDeps,
  run: LiveRun,
  { gateway, history, trace }: { gateway: GatewayCall; history: ChatMessage[]; trace: RunTrace | undefined },
): AsyncGenerator<Chunk | Iterable<Chunk>, void> {
  const { checked } = callableTools(deps, run, { history, trace, tape: undefined });
  return executeInSteps({
    provider: callOnce(toCall(deps, gateway)),
    tools: endAfterCall(checked, (call, result) =>
      sessionTexts(deps.store).add(run.row.conversationId, call, result),
    ),
    ...{ system: "", history, signal: run.abort.signal, timeoutMs, maxIterations: 1 },
    onFault: (err: unknown) => deps.log.error({ err, runId: run.row.id }, "a fault inside a run"),
    sent: [...run.chain.open].flatMap(([id, call]) => (call.sent ? [id] : [])),
    iterationsUsed: run.row.options.iterationsUsed ?? 0,
  });
}

function toCall({ pool }: Pick<RunDeps, "pool">, { call }: GatewayCall): ToolCall {
  const found = pool.tool(call.name);
  return { type: "tool_call", ...call, ...(found && { server: found.server, tool: found.item.name }) };
}

const callOnce = (call: ToolCall): Provider => ({
  async *stream() {
    yield [
      { type: "tool_call", call },
      { type: "usage", stopReason: "tool_use", inputTokens: 0, outputTokens: 0 },
    ];
  },
});

const endAfterCall = (tools: ToolBox, onResult: (call: ToolCall, result: ToolResult) => void): ToolBox => ({
  list: () => tools.list(),
  async call(call, context) {
    const outcome = await tools.call(call, context);
    if ("waiting" in outcome) return outcome;
    onResult(call, outcome);
    return { ...outcome, endsTurn: true };
  },
});
