import { z } from "zod";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { answerRun } from "@/lib/server/runs/answer-run";
import type { AnswerRequest } from "@/lib/server/runs/read-answer";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import { readQuestionName } from "./ask-client";
import { openQuestions } from "./await-person";
import type { CallDeps } from "./begin-call";

/** An answer of a client to what it was asked. */
const ClientAnswer = z.looseObject({
  id: z.string(),
  result: z.looseObject({
    action: z.enum(["accept", "decline", "cancel"]),
    content: z.record(z.string(), z.unknown()).optional(),
  }),
});

type ClientResult = z.output<typeof ClientAnswer>["result"];

/**
 * Takes what the person of a client has said there to a question of a run of its session. What comes too late, or does not fit, leaves
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
  const answer = question && toAnswer(question, data.result);
  if (!answer) return;
  await answerRun(deps, row, { requestId: named.requestId, ...answer }, byClient).catch((cause) => {
    if (!(cause instanceof HttpError)) throw cause;
    deps.log.warn({ err: cause, runId: row.id }, "an answer of a client does not fit its question");
  });
}

/** A program shows its person one call: what is allowed for good is allowed in Meguri. */
const byClient = { mayAccept: false, mayAllowForGood: false };

/** Nothing where the question was only put away. */
function toAnswer(
  question: PendingRequest,
  { action, content }: ClientResult,
): Omit<AnswerRequest, "requestId"> | undefined {
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
