import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { SeenTexts } from "@/lib/agent/data-flow/seen-texts";
import type { ToolBox } from "@/lib/agent/ports";
import type { StepMode } from "@/lib/agent/step-mode";
import { type ApprovalOptions, withApproval } from "@/lib/agent/with-approval";
import { withArgumentChecks } from "@/lib/agent/with-argument-checks";
import { withCallBudget } from "@/lib/agent/with-budget";
import { withCallerTools } from "@/lib/agent/with-caller-tools";
import { withEditedArgs } from "@/lib/agent/with-edited-args";
import { withFileCheck } from "@/lib/agent/with-file-check";
import { withFileReader } from "@/lib/agent/with-file-reader";
import { withLiveAnswers } from "@/lib/agent/with-live-answers";
import { allowPlan, type PlanOptions, withPlan } from "@/lib/agent/with-plan";
import { withRepeatCheck } from "@/lib/agent/with-repeat-check";
import { withResultReader } from "@/lib/agent/with-result-reader";
import { withSequential } from "@/lib/agent/with-sequential";
import { withSkillReader } from "@/lib/agent/with-skill-reader";
import { withToolSteps } from "@/lib/agent/with-steps";
import { withCallTimeout } from "@/lib/agent/with-timeouts";
import { withToolSelection } from "@/lib/agent/with-tool-selection";
import { type RunTrace, withTracedCalls } from "@/lib/agent/with-tracing";
import type { Chunk, DataFlow } from "@/lib/protocol/chunk";
import type { ChatMessage, ToolCall } from "@/lib/protocol/message";
import { meets } from "@/lib/protocol/tool-rules";
import {
  allowsInSession,
  allowsReads,
  approvalPolicy,
  flowPolicy,
  type Permissions,
} from "@/lib/server/settings/approval-policy";
import type { RunOptions } from "@/lib/store/types";
import { findFileFault, openFiles } from "./handed-files";
import type { LiveRun } from "./live-run";
import { awaitedBy } from "./live-runs";
import { type FilePlace, inlineFileIn } from "./named-file";
import type { RunDeps } from "./run-deps";
import { withFileStore } from "./run-files";
import { longFiles, type RunProject } from "./run-project";
import { type RunSkills, readableSkills } from "./run-skills";
import { askMisses, type RunTape, withTape } from "./run-tape";
import { sample } from "./sample";
import { sessionTexts } from "./session-texts";

interface RunSurroundings {
  history: readonly ChatMessage[];
  trace: RunTrace | undefined;
  project: RunProject | undefined;
  skills: RunSkills;
  tape: RunTape | undefined;
}

/**
 * The tool box of one run, from outside in: the tools of a program that asks, the recording of another one, a person's arguments for a call of a fork, step mode, the check for repeated turns, the
 * readers of results that were left out, the plan, readers of skills and of a project's long files, the search among many tools, argument
 * checks, the check of files that a call names, live answers, one at a time, the run's time limit of a call, approval,
 * budget, the store of large files, traces, and the pool. Arguments are checked before a person is asked: nobody is asked
 * about a call that cannot run. The pool keeps the time limit that a server's entry sets.
 */
export function runTools(
  deps: RunDeps,
  run: LiveRun,
  { history, trace, project, skills, tape }: RunSurroundings,
): ToolBox {
  const { row, chain, archive } = run;
  const { deferred } = row.options;
  const { approved, checked, policy } = callableTools(deps, run, { history, trace, tape });
  // The demo knows its handful of tools by name, and searches for none.
  const isDemo = row.model.startsWith("demo/");
  const chosen = isDemo
    ? checked
    : withToolSelection(checked, {
        ...{ window: deps.providers.window(row.model), history },
        deferred: (name) => deps.pool.isDeferred(name, deferred),
      });
  const readable = withFileReader(chosen, project ? longFiles(deps, project) : []);
  const skilled = withSkillReader(readable, readableSkills(deps, skills));
  const planned = withPlan(skilled, {
    ...{ plan: chain.plan, open: chain.open, isOffered: row.options.plan === true },
    ...{ specs: () => approved.list(), policy, hints: (name) => hintsOf(deps, name) },
  });
  const repeats = withRepeatCheck(withResultReader(planned, archive), chain.budgetUsage);
  const stepped = withToolSteps(repeats, {
    steps: chain.steps,
    isOn: () => row.options.step === true,
    wasSent: (id) => chain.open.get(id)?.sent === true,
  });
  const edited = withEditedArgs(stepped, row.options.editedCall);
  const taped = tape ? withTape(edited, tape, chain.past) : edited;
  const { tools: theirs, oneCall } = row.options.program ?? {};
  return theirs ? withCallerTools(taped, theirs, { oneCall: oneCall === true }) : taped;
}

/** From the argument checks on: what holds for every call, whoever makes it. */
export function callableTools(
  deps: RunDeps,
  run: LiveRun,
  { history, trace, tape }: Pick<RunSurroundings, "history" | "trace" | "tape">,
): { checked: ToolBox; approved: ToolBox; policy: Policy } {
  const { row, chain } = run;
  const { servers, toolExecution, toolTimeoutMs } = row.options;
  const { userId, conversationId } = row;
  const findInline = (id: string) => inlineFileIn(id, history, chain.past, run.chunks);
  const files: FilePlace = { userId, conversationId, findInline };
  const pool = deps.pool.toolBox({
    ...(servers && { servers }),
    open: chain.open,
    inFlight: deps.inFlight,
    person: userId,
    signInPage: (server) => `/settings/mcp/${encodeURIComponent(server)}`,
    sample: (request, context) => sample(deps, run, request, context),
    openFiles: (references, server) => openFiles(deps, files, references, server),
    onResult: (_, answer) => awaitedBy(deps.runs, row)?.onResult(answer),
    ...(row.options.gateway && { onLog: (_, message) => awaitedBy(deps.runs, row)?.onLog(message) }),
  });
  const base: ToolBox = {
    list: () => pool.list(),
    async call(call, context) {
      await untilHeld(deps, context.signal);
      // The intent counts when the row of its run does too.
      const emit: typeof context.emit = async (chunk) => {
        await context.emit(chunk);
        if (chunk.type === "tool_start") await run.durable;
      };
      return pool.call(call, { ...context, emit });
    },
  };
  const traced = trace ? withTracedCalls(base, trace) : base;
  const counted = withCallBudget(withFileStore(traced, deps, row), {
    budget: row.options.budget ?? {},
    budgetUsage: chain.budgetUsage,
    giveUp: (id) => deps.inFlight.release(id),
  });
  const { gateway } = row.options;
  const mayAsk = gateway?.onApproval !== "fail";
  const judge = approvalPolicy(deps, row.userId, permissionsOf(deps, run));
  const policy = mayAsk ? judge : refuseAsked(judge);
  const judgeFlows = flowPolicy(deps, row.userId);
  const approved = withApproval(counted, {
    policy: allowPlan(
      chain.plan,
      allowSteps(chain.steps, tape?.misses === "ask" ? askMisses(policy) : policy),
    ),
    open: chain.open,
    safeToRepeat: (call) => isSafeToRepeat(deps, call),
    inFlight: (call) => deps.inFlight.has(call.id),
    flows: {
      find: flowFinder(deps, run, history),
      policy: mayAsk ? judgeFlows : refuseAsked(judgeFlows),
    },
  });
  const timed = toolTimeoutMs ? withCallTimeout(approved, toolTimeoutMs) : approved;
  const inOrder = withSequential(timed, (call) => queueOf(deps, call, toolExecution));
  const named = withFileCheck(
    withLiveAnswers(inOrder, run),
    (call) => findFileFault(deps, files, call),
    chain.open,
  );
  return { checked: withArgumentChecks(named, chain.open), approved, policy };
}

/** In ms: an instance says each second that it is there. */
const longestMs = 5_000;

/**
 * When the database comes back after it was away, a call is stored before this process knows that its runs are still its own.
 * Whether it may be sent is asked once more where its bytes leave.
 */
async function untilHeld({ store: { members } }: RunDeps, signal: AbortSignal): Promise<void> {
  const end = performance.now() + longestMs;
  while (!members.holds() && !signal.aborted && performance.now() < end) await sleep(50);
}

/** What a call carries from other servers; the conversation is read up to it when there is one to look at. */
function flowFinder(
  { pool, store }: RunDeps,
  { row, chain, chunks }: LiveRun,
  history: readonly ChatMessage[],
): (call: ToolCall) => Promise<readonly DataFlow[]> {
  let seen: SeenTexts | undefined;
  let read = 0;
  return async (call) => {
    const server = pool.tool(call.name)?.server;
    if (server === undefined) return [];
    const isOfProgram = row.options.gateway !== undefined;
    seen ??= isOfProgram
      ? await sessionTexts(store).of(row.conversationId)
      : new SeenTexts(history, chain.past);
    while (read < chunks.length) seen.add(chunks[read++] as Chunk);
    while (seen.readOn(server)) await setImmediate();
    return seen.findFlows(server, call.args);
  };
}

/** Who let a call go in step mode has seen it: no rule asks about it once more. */
const allowSteps =
  (steps: StepMode, policy: Policy): Policy =>
  async (call) => {
    const verdict = await policy(call);
    if (typeof verdict !== "object" || !("ask" in verdict)) return verdict;
    if (verdict.ask !== "rule" && verdict.ask !== "tape") return verdict;
    if (!steps.forTool(call.id)) return verdict;
    return verdict.definition === undefined ? "allow" : { allow: { definition: verdict.definition } };
  };

/** In place of a question, where nobody is to be waited for. */
const refuseAsked =
  <Args extends unknown[], V>(policy: (...args: Args) => V | Promise<V>) =>
  async (...args: Args): Promise<V | { deny: string }> => {
    const verdict = await policy(...args);
    const asks = verdict === "ask" || (typeof verdict === "object" && verdict !== null && "ask" in verdict);
    return asks ? { deny: needsPerson } : verdict;
  };

const needsPerson =
  "Not run: this call needs a person's yes in Meguri, and the token of this program says that nobody is waited for. A rule there can allow the tool.";

type Policy = ApprovalOptions["policy"];

/** What was allowed for the chain of runs, and for its conversation; read for each call, so that taking it back counts. */
export const permissionsOf = (
  deps: Pick<RunDeps, "store">,
  { row, chain }: Pick<LiveRun, "row" | "chain">,
): Permissions => ({
  has: (name) =>
    chain.allowed.has(name) || (row.options.gateway !== undefined && allowsInSession(deps, row, name)),
  allowsReads: () => allowsReads(deps, row),
});

/** Of a definition that was accepted; the policy refuses all others. */
function hintsOf({ pool }: RunDeps, name: string): ReturnType<PlanOptions["hints"]> {
  const item = pool.tool(name)?.item;
  if (!item) return {};
  const readOnly = item.annotations.readOnlyHint === true;
  return {
    definition: item.hash,
    ...(readOnly && { readOnly }),
    ...(meets(item, "destructive") && { destructive: true as const }),
  };
}

/** A run can want all its calls one after another, and a server those that are for it. */
function queueOf(
  { pool }: RunDeps,
  call: ToolCall,
  execution: RunOptions["toolExecution"],
): string | undefined {
  if (execution === "sequential") return "";
  const server = pool.tool(call.name)?.server;
  return server !== undefined && pool.runsInOrder(server) ? server : undefined;
}

/** Only what says so, in a definition that was accepted. */
function isSafeToRepeat({ pool }: RunDeps, call: ToolCall): boolean {
  const item = pool.tool(call.name)?.item;
  if (item?.definition !== "pinned") return false;
  return item.annotations.readOnlyHint === true || item.annotations.idempotentHint === true;
}
