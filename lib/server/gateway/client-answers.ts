import { z } from "zod";
import { readWritten } from "@/lib/mcp/questions/sampling";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { answerRun } from "@/lib/server/runs/answer-run";
import type { Answering } from "@/lib/server/runs/answering";
import type { AnswerRequest } from "@/lib/server/runs/read-answer";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import { readQuestionName } from "./ask-client";
import { openQuestions } from "./await-person";
import type { CallDeps } from "./begin-call";

/** An answer of a client to what it was asked. */
const ClientAnswer = z.looseObject({
  id: z.string(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});

type ClientAnswer = z.output<typeof ClientAnswer>;

const Elicited = z.looseObject({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});

/** What an answer does, and who gives it. */
interface Taken {
  answer: Omit<AnswerRequest, "requestId">;
  by: Answering;
}

/**
 * Takes what a client says, or its person there, to a question of a run of its session. What comes too late, or does not fit, leaves
 * the question as it is.
 */
export async function takeClientAnswer(
  deps: CallDeps,
  { person, session }: { person: Person; session: GatewaySessionRow },
  message: unknown,
): Promise<void> {
  const { data } = ClientAnswer.safeParse(message);
  const named = data && readQuestionName(data.id);
  if (!named) return;
  const row = await deps.store.runs.get(person.id, named.runId);
  if (row?.conversationId !== session.conversationId || row.status !== "waiting") return;
  const question = (await openQuestions(deps, row)).find(({ requestId }) => requestId === named.requestId);
  const taken = question && take(question, data);
  if (!taken) return;
  const { answer, by } = taken;
  await answerRun(deps, row, { requestId: named.requestId, ...answer }, by).catch((cause) => {
    if (!(cause instanceof HttpError)) throw cause;
    deps.log.warn({ err: cause, runId: row.id }, "an answer of a client does not fit its question");
  });
}

/** A program shows its person one call: what is allowed for good is allowed in Meguri. */
const byClient: Answering = { mayAccept: false, mayAllowForGood: false };

/** Nothing where the question was only put away. */
function take(question: PendingRequest, { result, error }: ClientAnswer): Taken | undefined {
  if (question.type === "approval_request" && question.reason === "sampling") {
    const written = readWritten(result);
    if (written) return { answer: { decision: "approve" }, by: { ...byClient, written } };
    // A model that cannot write leaves it to ours.
    return error?.code === personsNo ? { answer: { decision: "deny" }, by: byClient } : undefined;
  }
  const answer = toAnswer(question, Elicited.safeParse(result).data);
  return answer && { answer, by: byClient };
}

/** The protocol's own example for a person's no. */
const personsNo = -1;

function toAnswer(
  question: PendingRequest,
  elicited: z.output<typeof Elicited> | undefined,
): Taken["answer"] | undefined {
  if (!elicited) return undefined;
  const { action, content } = elicited;
  if (question.type === "input_request") {
    // Who is sent to a page to sign in has not signed in yet; that they have is noticed by itself.
    if (question.reason === "login" && action === "accept") return undefined;
    return { action, ...(question.mode === "form" && action === "accept" && { content: content ?? {} }) };
  }
  if (question.type !== "approval_request" || action === "cancel") return undefined;
  if (action === "decline") return { decision: "deny" };
  const { decision, reason } = content ?? {};
  if (decision !== "approve" && decision !== "approve_run" && decision !== "deny") return undefined;
  const isReason = decision === "deny" && typeof reason === "string" && reason.trim() !== "";
  return { decision, ...(isReason && { reason: reason.trim().slice(0, maxReason) }) };
}

const maxReason = 2_000;
