import type { z } from "zod";
import { findArgumentProblems } from "@/lib/agent/argument-problems";
import { readSampling } from "@/lib/mcp/questions/sampling";
import type { Answer } from "@/lib/protocol/answer";
import type { ApprovalRequest, InputRequest, PendingRequest, StepRequest } from "@/lib/protocol/chunk";
import { narrow } from "@/lib/protocol/plan";
import {
  type AnswerName,
  type AnswerTo,
  type QuestionKind,
  questions,
  takes,
} from "@/lib/protocol/questions";
import type { AnswerBody } from "@/lib/server/contract/chat";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { AnswerChunk } from "@/lib/store/types";

export type AnswerRequest = z.output<typeof AnswerBody>;

/** A request as the answer to this question, unless it is about a step; what the question does not take is a 400 that names the field. */
export function readAnswer(
  deps: RunDeps,
  asked: Exclude<PendingRequest, StepRequest>,
  request: AnswerRequest,
): AnswerChunk {
  if (request.payload) throw inputError("payload: answers a question of step mode only.");
  if (request.plan && !isAbout(asked, "plan"))
    throw inputError("plan: answers a question about a plan only.");
  if (request.addToPlan && !isAbout(asked, "rule"))
    throw inputError("addToPlan: goes with approve, and with a call that a rule asks about.");
  const { requestId } = asked;
  switch (asked.type) {
    case "approval_request":
      return { type: "answer", requestId, id: asked.call.id, answer: readApproval(deps, asked, request) };
    case "input_request":
      return { type: "answer", requestId, id: asked.id, answer: { input: readInput(asked, request) } };
    case "budget_request":
      return { type: "answer", requestId, answer: readBudgetAnswer(request) };
  }
}

const isAbout = (asked: PendingRequest, reason: ApprovalRequest["reason"]) =>
  asked.type === "approval_request" && asked.reason === reason;

function readApproval(deps: RunDeps, asked: ApprovalRequest, request: AnswerRequest): Answer {
  const { args, budget, addToPlan } = request;
  if (budget) throw inputError("budget: answers a question about a budget only.");
  const decision = readName(asked.reason, "decision", request.decision);
  if (decision === "approve_reads" && !onlyReads(deps, asked))
    throw inputError(
      "decision: approve_reads answers a question about a tool that says it only reads, in the definition that was accepted; this one does not. Take approve.",
    );
  if (args && asked.reason === "plan") throw inputError("args: a plan is changed by plan.steps.");
  if (addToPlan && decision !== "approve")
    throw inputError("addToPlan: goes with the decision approve only.");
  if (addToPlan && !asked.outside)
    throw inputError("addToPlan: no plan held when this was asked. Answer with approve alone.");
  const problem = args && problemInWords(deps, asked, args);
  if (problem) throw inputError(`args: ${problem}`);
  const text = request.reason ?? request.result;
  return {
    decision,
    ...{ ...(args && { args }), ...(text && { text }) },
    ...(request.plan && { plan: readPlan(asked, decision, request.plan) }),
    ...(addToPlan && { addToPlan }),
  };
}

function readPlan(
  { plan }: ApprovalRequest,
  decision: Answer["decision"],
  left: NonNullable<AnswerRequest["plan"]>,
): NonNullable<Answer["plan"]> {
  if (decision !== "approve") throw inputError("plan: goes with the decision approve only.");
  const narrowed = narrow(plan?.steps ?? [], left.steps);
  if ("fault" in narrowed) throw inputError(narrowed.fault);
  return left;
}

function onlyReads({ pool }: RunDeps, { call }: ApprovalRequest): boolean {
  const item = pool.tool(call.name)?.item;
  return item?.definition === "pinned" && item.annotations.readOnlyHint === true;
}

/** What is wrong with arguments that a person has changed. */
function problemInWords({ pool }: RunDeps, { reason, call }: ApprovalRequest, args: Record<string, unknown>) {
  if (reason === "sampling") return readSampling(args) ? undefined : "this is no sampling request any more.";
  const tool = pool.tool(call.name);
  return tool && findArgumentProblems(tool.item.inputSchema, args)[0];
}

/** What a person tells a server; fields that were left out get the defaults of the form later. */
function readInput(asked: InputRequest, request: AnswerRequest): NonNullable<Answer["input"]> {
  const { content } = request;
  const action = readName(asked.mode, "action", request.action);
  if (content && (action !== "accept" || asked.mode === "url"))
    throw inputError("content: goes with accept, and with a form only.");
  if (action === "accept" && asked.mode === "form") {
    const [problem] = findArgumentProblems(withoutDefaults(asked.schema), content ?? {});
    if (problem) throw inputError(`content: ${problem}`);
  }
  return { action, ...(content && { content }) };
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

function readBudgetAnswer({ decision: name, budget }: AnswerRequest): Answer {
  const decision = readName("budget", "decision", name);
  if (budget && decision !== "more") throw inputError("budget: goes with the decision more only.");
  return { decision, ...(budget && { budget }) };
}

/** The answer's name, if this kind of question takes it; the refusal lists those that it takes. */
function readName<Kind extends QuestionKind>(
  kind: Kind,
  field: "decision" | "action",
  name: AnswerName | undefined,
): AnswerTo<Kind> {
  if (takes(kind, name)) return name;
  throw inputError(`${field}: this question takes ${questions[kind].takes.join(", ")}.`);
}

const inputError = (message: string) => new HttpError(400, "invalid_input", message);
