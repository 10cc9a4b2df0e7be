import { addCost } from "@/lib/agent/add-cost";
import { mapTurn } from "@/lib/agent/map-turn";
import type { Provider } from "@/lib/agent/ports";
import { withBudget } from "@/lib/agent/with-budget";
import { withContextLimit } from "@/lib/agent/with-context-limit";
import { withKnobs } from "@/lib/agent/with-knobs";
import { withRetry } from "@/lib/agent/with-retry";
import { withModelSteps } from "@/lib/agent/with-steps";
import { withStopWords } from "@/lib/agent/with-stop-words";
import { withStoredFiles } from "@/lib/agent/with-stored-files";
import { withStructuredOutput } from "@/lib/agent/with-structured-output";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { withTokenLimit } from "@/lib/agent/with-token-limit";
import { withToolChoice } from "@/lib/agent/with-tool-choice";
import { type RunTrace, withTracedTurns } from "@/lib/agent/with-tracing";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { runLimits } from "@/lib/protocol/run-limits";
import { knobsOf, type ModelKnobs } from "@/lib/protocol/settings";
import { providerOf } from "@/lib/providers/provider-table";
import { priceOf } from "@/lib/server/settings/prices";
import type { RunOptions, RunRow } from "@/lib/store/types";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";
import { fileReader } from "./run-files";
import { recordRequests } from "./sent-requests";
import { openRecording } from "./wire-recording";

/**
 * The model of one run, or another one that a part of it asks, from outside in: traces, budget, what a program says of its
 * answer, structured output, context limit, step mode, recording of the wire, and what every use of a model has (`openModel`). The knobs of a run are for the model of the run.
 */
export async function runProvider(
  deps: RunDeps,
  run: LiveRun,
  trace: RunTrace | undefined,
  other?: string,
): Promise<Provider> {
  const { row: begun, chain, archive, chosen } = run;
  const row = other === undefined ? begun : { ...begun, model: other, options: withoutKnobs(begun.options) };
  const { budget = {}, responseSchema } = row.options;
  const model = await openModel(deps, row);
  const window = deps.providers.window(row.model);
  run.wire ??= await openRecording(deps, begun);
  const { wire } = run;
  const record = recordRequests({ model: row.model, knobs: knobsIn(row.options), window, wire });
  const stepped = { steps: chain.steps, isOn: () => begun.options.step === true, record };
  const before = (asked: Provider) => withModelSteps(wire?.record(asked) ?? asked, stepped);
  const fitting = withContextLimit(model, { window, archive, record, before, chosen });
  const shaped = responseSchema ? withStructuredOutput(fitting, responseSchema) : fitting;
  const asked = other === undefined ? asProgramAsks(shaped, row.options) : shaped;
  // A budget that is shared may be given a limit of money while this run goes on.
  const { budgetUsage } = chain;
  const needsNone = budget.cost === undefined && budgetUsage.shared === undefined;
  const isPriced = needsNone || (await priceOf(deps, row.model)) !== undefined;
  const bounded = withBudget(asked, { budget, budgetUsage, isPriced });
  return trace ? withTracedTurns(bounded, trace, tracedModel(row.model)) : bounded;
}

/** What a program says of the tools that are called and of where an answer ends. */
function asProgramAsks(model: Provider, { program, iterationsUsed = 0 }: RunOptions): Provider {
  const { toolChoice, stop } = program ?? {};
  const chosen = toolChoice
    ? withToolChoice(model, toolChoice, { isFirstTurn: iterationsUsed === 0 })
    : model;
  return stop ? withStopWords(chosen, stop) : chosen;
}

const knobsIn = (options: RunOptions): ModelKnobs => knobsOf({ ...options, ...options.program?.sampling });

function withoutKnobs({
  effort: _,
  temperature: __,
  maxOutputTokens: ___,
  program: ____,
  ...options
}: RunOptions): RunOptions {
  return options;
}

/** A model as traces name it. */
export function tracedModel(model: string): { provider: string; model: string } {
  const [provider = "", ...name] = model.split("/");
  return { provider: providerOf(provider)?.traceName ?? provider, model: name.join("/") };
}

/**
 * A model as chats, agents and servers (sampling) use it, from outside in: origins of calls and cost, limit of tokens,
 * retry, idle time-out, stored files, knobs, adapter. What holds for each use of a model belongs here; what asks a person or
 * adds to the history belongs to the run.
 */
export async function openModel(
  deps: RunDeps,
  { model, options }: Pick<RunRow, "model" | "options">,
  maxTokens?: number,
): Promise<Provider> {
  const { firstTokenMs, betweenTokensMs } = { ...runLimits.chat, ...options };
  const adapter = withStoredFiles(
    withKnobs(deps.providers.provider(model), knobsIn(options)),
    fileReader(deps),
  );
  const asked = withRetry(withTurnTimeouts(adapter, firstTokenMs, betweenTokensMs));
  const limited = maxTokens === undefined ? asked : withTokenLimit(asked, maxTokens);
  const price = await priceOf(deps, model);
  const origin = noteOrigins(deps.pool);
  const cost = price ? addCost(price) : (chunk: ModelChunk) => chunk;
  return mapTurn(limited, (chunk) => cost(origin(chunk)));
}

/** For `mapTurn`: notes on each call which server it goes to and under which name, so that the log tells it for good. */
export function noteOrigins(pool: Pick<McpPool, "tool">): (chunk: ModelChunk) => ModelChunk {
  return (chunk) => {
    const found = chunk.type === "tool_call" && pool.tool(chunk.call.name);
    return found ? { ...chunk, call: { ...chunk.call, server: found.server, tool: found.item.name } } : chunk;
  };
}
