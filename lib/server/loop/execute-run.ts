import { isOne } from "@/lib/agent/chunks-in";
import { executeInSteps } from "@/lib/agent/execute-with-tools-stream";
import type { Provider } from "@/lib/agent/ports";
import type { RunTrace } from "@/lib/agent/with-tracing";
import { executeAgentStream } from "@/lib/agent/workflows/execute-agent-stream";
import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import { lastText } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import { type AgentDefinition, KeptAgent } from "@/lib/server/agents/agent-definition";
import { buildAgent, modelsIn } from "@/lib/server/agents/build-agent";
import { canAsk } from "@/lib/server/settings/choose-model";
import type { RunRow } from "@/lib/store/types";
import { executeCall } from "./gateway-call";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";
import { readProject } from "./run-project";
import { runProvider } from "./run-provider";
import { skillsOf } from "./run-skills";
import { readTape } from "./run-tape";
import { runTools } from "./run-tools";
import { takeSaid } from "./steering";
import { systemPrompt } from "./system-prompt";

/** The loop over one model, or the workflow that the run has begun with, and what the run itself tells in between. */
export async function executeRun(
  deps: RunDeps,
  run: LiveRun,
  history: ChatMessage[],
  trace: RunTrace | undefined,
): Promise<AsyncIterable<Chunk | Iterable<Chunk>>> {
  if (run.row.options.isWhole) return endAtOnce(history);
  return tellMissing(deps, run.row, await openLoop(deps, run, history, trace));
}

/** The end of an answer that was complete when its run began. */
async function* endAtOnce(history: readonly ChatMessage[]): AsyncGenerator<Chunk, void> {
  const result: AgenticLoopResult = {
    stopReason: "end_turn",
    historyDelta: [],
    finalText: lastText(history),
    iterationsUsed: 0,
    timedOut: false,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  yield { type: "result", result };
}

async function openLoop(
  deps: RunDeps,
  run: LiveRun,
  history: ChatMessage[],
  trace: RunTrace | undefined,
): Promise<AsyncGenerator<Chunk | Iterable<Chunk>, void>> {
  const { options, id } = run.row;
  // Before the first turn: what comes from then on counts there.
  run.chain.budgetUsage.day = await deps.dayBudget(run.row.userId);
  if (options.gateway) return executeCall(deps, run, { gateway: options.gateway, history, trace });
  if (options.matrix !== undefined) run.chain.budgetUsage.shared = await deps.sharedBudget(options.matrix);
  const [project, skills, tape] = await Promise.all([
    readProject(deps, run),
    skillsOf(deps, run),
    readTape(deps, run.row),
  ]);
  const shared = {
    provider: await runProvider(deps, run, trace),
    tools: runTools(deps, run, { history, trace, project, skills, tape }),
    system: await systemPrompt(deps, run, { project, skills }),
    history,
    signal: run.abort.signal,
    timeUsedMs: run.chain.workedMs,
    onFault: (err: unknown) => deps.log.error({ err, runId: id }, "a fault inside a run"),
    ...(options.maxIterations && { maxIterations: options.maxIterations }),
    ...(options.timeoutMs && { timeoutMs: options.timeoutMs }),
  };
  if (options.workflow) {
    const definition = options.workflow as AgentDefinition;
    const originOf = (name: string) => {
      const found = deps.pool.tool(name);
      return found && { server: found.server, tool: found.item.name };
    };
    const { past, budgetUsage } = run.chain;
    const models = await openModels(deps, run, definition, trace);
    const agent = buildAgent(definition, { originOf, budgetUsage, models });
    return executeAgentStream(agent, { ...shared, past, kept: run.copies, state: stateOf(definition) });
  }
  return executeInSteps({
    ...shared,
    sent: [...run.chain.open].flatMap(([callId, call]) => (call.sent ? [callId] : [])),
    iterationsUsed: options.iterationsUsed ?? 0,
    takeSaid: () => takeSaid(deps, run),
  });
}

/** Whether it is the workflow of a run: in a file anybody may have written it. */
export const isWorkflow = (value: unknown): boolean => KeptAgent.safeParse(value).success;

/** The models that agents name. One that was removed since the run began is not in it: that of the run answers for it. */
async function openModels(
  deps: RunDeps,
  run: LiveRun,
  { agent }: AgentDefinition,
  trace: RunTrace | undefined,
): Promise<ReadonlyMap<string, Provider>> {
  const opened = new Map<string, Provider>();
  for (const model of modelsIn(agent))
    if (canAsk(deps, model)) opened.set(model, await runProvider(deps, run, trace, model));
  return opened;
}

/** Every key was given a value before the run began. */
const stateOf = ({ state = {} }: AgentDefinition): Record<string, string> =>
  Object.fromEntries(Object.entries(state).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));

const maxNamed = 10;

type Notice = Extract<Chunk, { type: "notice" }>;

/** What was chosen and is not there any more: told of once, in the first loop. The answer goes without it. */
function tellMissing(
  { pool }: RunDeps,
  { options, continues, model }: RunRow,
  stream: AsyncIterable<Chunk | Iterable<Chunk>>,
): AsyncIterable<Chunk | Iterable<Chunk>> {
  if (continues !== null) return stream;
  const servers = options.servers?.filter((name) => pool.statusOf(name) === undefined) ?? [];
  const notices: Notice[] = [
    ...(servers.length > 0 ? [{ type: "notice", kind: "server", message: words(servers) } as const] : []),
    ...goneOf(options, model).map((message) => ({ type: "notice", kind: "assistant", message }) as const),
  ];
  return notices.length > 0 ? afterIteration(stream, notices) : stream;
}

/** What the assistant names and was not there when the run began. */
function goneOf({ assistant }: RunRow["options"], model: string): string[] {
  const { gone = {} } = assistant ?? {};
  return [
    ...(gone.model === undefined
      ? []
      : [`The assistant's model ${gone.model} is not there any more, so ${model} answers.`]),
    ...(gone.agent === undefined
      ? []
      : [`The assistant's workflow agent ${gone.agent} cannot be used, so the model answers by itself.`]),
  ];
}

async function* afterIteration(
  stream: AsyncIterable<Chunk | Iterable<Chunk>>,
  notices: readonly Notice[],
): AsyncGenerator<Chunk | Iterable<Chunk>, void> {
  let isTold = false;
  for await (const step of stream) {
    yield step;
    if (isTold || !isOne(step) || step.type !== "iteration") continue;
    isTold = true;
    for (const notice of notices) yield { ...notice, ...(step.agent && { agent: step.agent }) };
  }
}

function words(missing: readonly string[]): string {
  const named = [...missing.slice(0, maxNamed), ...(missing.length > maxNamed ? ["…"] : [])];
  return `Removed from the settings, so not used in this answer: ${named.join(", ")}.`;
}
