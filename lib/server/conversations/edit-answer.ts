import type { z } from "zod";
import type { AssistantMessage } from "@/lib/protocol/message";
import type { AnswerEditBody } from "@/lib/server/contract/conversations";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { newMessage } from "@/lib/server/new-rows";
import { checkWritable } from "@/lib/server/runs/read-only";
import type { MessageRow } from "@/lib/store/types";
import { runningIn } from "./active-run";
import { findConversation } from "./conversations";
import { findAnswer, stillRuns } from "./find-answer";

/**
 * Keeps another text in place of the model's last words as a version of the answer: what stands before it comes along
 * as copies, so that nothing of the old answer changes, and the branch that is shown is the new one.
 */
export async function editAnswer(
  deps: RunDeps,
  userId: string,
  conversationId: string,
  { edits, text }: z.output<typeof AnswerEditBody>,
): Promise<{ messageId: string }> {
  return deps.turns.run(conversationId, async () => {
    const conversation = await findConversation(deps, userId, conversationId);
    checkWritable(conversation);
    const { leafId } = conversation;
    const [active] = await runningIn(deps, conversationId);
    if (active) throw stillRuns(active.id);
    const { question, answer } = await findAnswer(deps, conversationId, leafId, edits, "edits");
    await checkWaiting(deps, answer);
    const last = lastWords(answer);
    let parentId = question.id;
    const rows = answer.slice(0, answer.indexOf(last) + 1).map((row) => {
      const message = row === last ? byPerson(text) : row.message;
      const copy = newMessage({ conversationId, parentId }, message, { runId: row.runId, model: row.model });
      parentId = copy.id;
      return copy;
    });
    await deps.store.messages.append(conversationId, rows);
    return { messageId: parentId };
  });
}

type Words = MessageRow & { message: AssistantMessage };

/** The message that ends the answer: what comes after it was only said into a run that has stopped. */
function lastWords(answer: readonly MessageRow[]): Words {
  const last = answer.findLast(({ message }) => message.role === "assistant" || message.role === "tool");
  if (!last || !isWords(last))
    throw new HttpError(
      422,
      "not_supported",
      "edits: this answer does not end with words of the model, so there are none to edit.",
    );
  if (last.message.agent !== undefined)
    throw new HttpError(
      422,
      "not_supported",
      "edits: the answer of a workflow cannot be edited; have it answered again.",
    );
  if (last.message.parts.some((part) => part.type === "text" && part.format))
    throw new HttpError(
      422,
      "not_supported",
      "edits: an answer that has to match a schema cannot be edited.",
    );
  return last;
}

const isWords = (row: MessageRow): row is Words =>
  row.message.role === "assistant" && row.message.parts.every(({ type }) => type !== "tool_call");

/** Signatures and thoughts belong to the words that are gone. */
const byPerson = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }],
  by: "person",
});

async function checkWaiting({ store }: RunDeps, answer: readonly MessageRow[]): Promise<void> {
  const writers = await store.runs.many([...new Set(answer.flatMap(({ runId }) => runId ?? []))]);
  const waiting = writers.find(({ status }) => status === "waiting");
  if (waiting) throw stillRuns(waiting.id);
}
