import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import { RunTrace } from "@/lib/agent/with-tracing";
import { executeAgentStream } from "@/lib/agent/workflows/execute-agent-stream";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import type { ChatMessage, ToolCall } from "@/lib/protocol/message";
import { providerOf } from "@/lib/providers/provider-table";
import type { AgentDefinition } from "@/lib/server/agents/agent-definition";
import { buildAgent } from "@/lib/server/agents/build-agent";
import type { RunRow } from "@/lib/store/types";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";
import { runProvider } from "./run-provider";
import { runTools } from "./run-tools";
import { systemPrompt } from "./system-prompt";

/** The loop over one model, or the workflow that the run has begun with. */
export async function executeRun(
  deps: RunDeps,
  run: LiveRun,
  history: ChatMessage[],
  trace: RunTrace | undefined,
): Promise<AsyncGenerator<Chunk, void>> {
  const { options, id } = run.row;
  const shared = {
    provider: await runProvider(deps, run, trace),
    tools: runTools(deps, run, history, trace),
    system: systemPrompt(deps, options.servers),
    history,
    signal: run.abort.signal,
    timeUsedMs: run.chain.workedMs,
    onFault: (err: unknown) => deps.log.error({ err, runId: id }, "a fault inside a run"),
    ...(options.maxIterations && { maxIterations: options.maxIterations }),
    ...(options.timeoutMs && { timeoutMs: options.timeoutMs }),
  };
  if (options.workflow) {
    const originOf = (name: string) => {
      const found = deps.pool.tool(name);
      return found && { server: found.server, tool: found.item.name };
    };
    const { past, budgetUsage } = run.chain;
    const agent = buildAgent(options.workflow as AgentDefinition, { originOf, budgetUsage });
    return executeAgentStream(agent, { ...shared, past });
  }
  return executeWithToolsStream({
    ...shared,
    sent: [...run.chain.open].flatMap(([callId, call]) => (call.sent ? [callId] : [])),
    iterationsUsed: options.iterationsUsed ?? 0,
  });
}

/** Calls that the log of a workflow holds, answered or not. */
export const callsIn = (log: readonly StepChunk[]) =>
  log.flatMap((chunk) => (chunk.type === "tool_call" ? chunk.call : []));

export function traceRun({ tracing }: RunDeps, { id, model, conversationId }: RunRow): RunTrace | undefined {
  if (!tracing) return undefined;
  const [provider = "", ...name] = model.split("/");
  const traced = {
    provider: providerOf(provider)?.traceName ?? provider,
    model: name.join("/"),
    conversationId,
    runId: id,
  };
  return new RunTrace(tracing.tracer, traced);
}

const waitAtMostMs = 20_000;

/**
 * Waits until the servers of open calls have connected or failed: after a restart a run may continue before the pool is
 * back, and an approved call must not be answered "unknown tool".
 */
export async function awaitServers(
  { pool }: RunDeps,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<void> {
  const names = new Set(calls.flatMap(({ server }) => server ?? []));
  const connecting = () => [...names].some((name) => pool.server(name)?.status === "connecting");
  if (!connecting()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitAtMostMs);
  const stop = pool.onChange(() => connecting() || resolve());
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  stop();
}
