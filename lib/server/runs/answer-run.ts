import type { z } from "zod";
import { findArgumentProblems } from "@/lib/agent/argument-problems";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { readSampling } from "@/lib/mcp/questions/sampling";
import type { Answer, ApprovalRequest, InputRequest, PendingRequest } from "@/lib/protocol/chunk";
import { pendingRequests } from "@/lib/protocol/timeline";
import { exactPattern } from "@/lib/protocol/tool-rules";
import { HttpError } from "@/lib/server/http/errors";
import type { AnswerBody } from "@/lib/server/http/schemas";
import { addRule } from "@/lib/server/settings/tool-rules";
import type { RunRow } from "@/lib/store/types";
import { awaitEnd } from "./end-retry";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";
import { type AnswerChunk, continueRun } from "./start-run";
import { readWholeLog } from "./whole-log";

type AnswerRequest = z.output<typeof AnswerBody>;

/**
 * Takes a person's answer to a question of a run. A live run goes on at once; for one that waits, the answer to the
 * last open question starts the run that continues it. Returns that run, or how many questions are still open.
 */
export function answerRun(
  deps: RunDeps,
  row: RunRow,
  request: AnswerRequest,
): Promise<{ runId: string | null; pending?: number }> {
  return deps.runs.inTurn(row.conversationId, () => answerInTurn(deps, row.userId, row.id, request));
}

async function answerInTurn(deps: RunDeps, userId: string, runId: string, request: AnswerRequest) {
  const live = await findLive(deps, runId);
  const row = live?.row ?? (await deps.store.runs.get(userId, runId));
  const given = await givenAnswers(deps, userId, runId);
  const log = live?.chunks ?? (await readWholeLog(deps, runId)).map(({ data }) => data);
  const pending = pendingRequests([...log, ...given]);
  const asked = pending.find(({ requestId }) => requestId === request.requestId);
  if (!row || !asked || (!live && row.status !== "waiting")) throw alreadyAnswered();
  const chunk = toChunk(deps, asked, request);
  await remember(deps, userId, asked, chunk.answer);
  // It may have ended meanwhile, and then waits.
  const running = await findLive(deps, runId);
  if (running && (await running.answer(chunk))) return { runId };
  if (running) await awaitEnd(running);
  const waiting = await deps.store.runs.get(userId, runId);
  if (waiting?.status !== "waiting") throw alreadyAnswered();
  const answers = [...given, chunk];
  if (pending.length > 1) {
    await deps.store.settings.set(userId, answersKey(runId), answers);
    return { runId: null, pending: pending.length - 1 };
  }
  const next = await continueRun(deps, waiting, answers);
  await deps.store.settings.delete(userId, answersKey(runId));
  return { runId: next.id };
}

/** The run while it takes answers; one whose loop is about to end is waited for, as it waits or has ended then. */
async function findLive(deps: RunDeps, runId: string): Promise<LiveRun | undefined> {
  const live = deps.runs.get(runId);
  if (!live?.isEnding) return live;
  await awaitEnd(live);
  return undefined;
}

const alreadyAnswered = () =>
  new HttpError(409, "already_answered", "This question is no longer open; reload to see how it went on.");

/** What a person accepts or allows for good is kept before the call goes. */
async function remember(deps: RunDeps, userId: string, asked: PendingRequest, answer: Answer): Promise<void> {
  if (asked.type !== "approval_request" || !answer.decision?.startsWith("approve")) return;
  const found = deps.pool.tool(asked.call.name);
  if (!found) return;
  const { definition } = asked.call;
  // One that has changed once more is not accepted by this: the loop asks about it anew.
  if (asked.reason === "changed_definition" && definition === found.item.hash)
    await deps.pool.definitions.acceptTool(asked.call.name, definition).catch(passIfBroken);
  if (answer.decision !== "approve_always") return;
  await addRule(deps, userId, { pattern: exactPattern(found.server, found.item.name), effect: "allow" });
}

/** A lock file that cannot be read is not written either; then a yes holds for this call alone. */
function passIfBroken(cause: unknown): void {
  if (!(cause instanceof McpConfigError && cause.code === "file_broken")) throw cause;
}

function toChunk(deps: RunDeps, asked: PendingRequest, request: AnswerRequest): AnswerChunk {
  if (asked.type === "budget_request") return toBudgetChunk(request);
  if (asked.type === "input_request") return toInputChunk(asked, request);
  const { requestId, decision, args } = request;
  if (request.budget)
    throw new HttpError(400, "invalid_input", "budget: answers a question about a budget only.");
  const allowed = decisionsFor(asked.reason);
  if (!decision || !allowed.includes(decision))
    throw new HttpError(400, "invalid_input", `decision: this question takes ${allowed.join(", ")}.`);
  const problem = args && problemInWords(deps, asked, args);
  if (problem) throw new HttpError(400, "invalid_input", `args: ${problem}`);
  const text = request.reason ?? request.result;
  const answer: Answer = { decision, ...(args && { args }), ...(text && { text }) };
  return { type: "answer", requestId, id: asked.call.id, answer };
}

/** What is wrong with arguments that a person has changed. */
function problemInWords({ pool }: RunDeps, { reason, call }: ApprovalRequest, args: Record<string, unknown>) {
  if (reason === "sampling") return readSampling(args) ? undefined : "this is no sampling request any more.";
  const tool = pool.tool(call.name);
  return tool && findArgumentProblems(tool.item.inputSchema, args)[0];
}

/** What a person tells a server; fields that were left out get the defaults of the form later. */
function toInputChunk(asked: InputRequest, { requestId, action, content }: AnswerRequest): AnswerChunk {
  if (!action)
    throw new HttpError(400, "invalid_input", "action: this question takes accept, decline or cancel.");
  if (content && (action !== "accept" || asked.mode === "url"))
    throw new HttpError(400, "invalid_input", "content: goes with accept, and with a form only.");
  if (action === "accept" && asked.mode === "form") {
    const [problem] = findArgumentProblems(withoutDefaults(asked.schema), content ?? {});
    if (problem) throw new HttpError(400, "invalid_input", `content: ${problem}`);
  }
  const input = { action, ...(content && { content }) };
  return { type: "answer", requestId, id: asked.id, answer: { input } };
}

/** The schema, in which what has a default need not be there. */
function withoutDefaults(schema: unknown): Record<string, unknown> {
  const { properties = {}, required = [], ...rest } = schema as FormSchema;
  const hasNone = (name: string) => properties[name]?.default === undefined;
  return { ...rest, properties, required: required.filter(hasNone) };
}

interface FormSchema {
  properties?: Record<string, { default?: unknown } | undefined>;
  required?: string[];
}

function toBudgetChunk({ requestId, decision, budget }: AnswerRequest): AnswerChunk {
  const allowed: AnswerRequest["decision"][] = ["more", "finish", "stop"];
  if (!decision || !allowed.includes(decision))
    throw new HttpError(400, "invalid_input", `decision: this question takes ${allowed.join(", ")}.`);
  if (budget && decision !== "more")
    throw new HttpError(400, "invalid_input", "budget: goes with the decision more only.");
  return { type: "answer", requestId, answer: { decision, ...(budget && { budget }) } };
}

function decisionsFor(reason: ApprovalRequest["reason"]): NonNullable<Answer["decision"]>[] {
  if (reason === "sampling") return ["approve", "deny"];
  return reason === "outcome_unknown"
    ? ["retry", "done", "skip", "approve", "deny"]
    : ["approve", "approve_run", "approve_always", "deny"];
}

const answersKey = (runId: string) => `answers:${runId}`;

/** Answers that wait for the other questions of the same run. */
export async function givenAnswers(deps: RunDeps, userId: string, runId: string): Promise<AnswerChunk[]> {
  return (await deps.store.settings.get<AnswerChunk[]>(userId, answersKey(runId))) ?? [];
}
