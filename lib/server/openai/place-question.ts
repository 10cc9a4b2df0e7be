import { modelHistory } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import type { AskedByProgram } from "@/lib/server/conversations/ask-for-program";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import type { ReadMessages } from "./read-messages";
import type { RestoredAnswer } from "./restore-answer";

type Placed = Pick<AskedByProgram, "place" | "earlier" | "question" | "after">;

/** Splits messages at the last question, which the run answers. */
function splitAtQuestion(messages: readonly ChatMessage[]): Omit<Placed, "place"> {
  const said = messages.filter(isSaid);
  const at = said.findLastIndex(({ role }) => role === "user");
  const question = said[at];
  return question?.role === "user"
    ? { earlier: said.slice(0, at), question, after: said.slice(at + 1) }
    : { earlier: [], after: said };
}

/** Providers refuse what says nothing. */
const isSaid = (message: ChatMessage): boolean => !("parts" in message) || message.parts.length > 0;

/**
 * Where a question is asked: behind the answer of which the program was given calls, where it has sent all that was said until
 * then unchanged, so that an errand of many calls is one conversation; else in a conversation of its own, with all that it has sent.
 */
export async function placeQuestion(
  deps: Pick<RunDeps, "store">,
  { messages, restored }: ReadMessages,
  isKept: boolean,
): Promise<Placed> {
  const place = restored && (await findPlace(deps, restored.answer, isKept));
  const before = place?.before.map(({ message }) => message) ?? [];
  if (place && isSame(before, messages.slice(0, restored?.end)))
    return { place, ...splitAtQuestion(messages.slice(restored?.end)) };
  return splitAtQuestion(messages);
}

/** Behind a stored answer, also where what follows is not to be stored: then in a conversation of its own, with all that was said. */
export async function placeAfter(
  deps: Pick<RunDeps, "store">,
  after: RestoredAnswer,
  { messages }: ReadMessages,
  isKept: boolean,
): Promise<Placed> {
  const place = await findPlace(deps, after, true);
  const before = place?.before.map(({ message }) => message) ?? [];
  return isKept ? { place, ...splitAtQuestion(messages) } : splitAtQuestion([...before, ...messages]);
}

/** The end of an answer; undefined where its conversation is kept otherwise than is asked for, or is gone. */
async function findPlace(
  { store }: Pick<RunDeps, "store">,
  { run, rows }: RestoredAnswer,
  isKept: boolean,
): Promise<Placed["place"]> {
  const { userId, conversationId } = run;
  const conversation = await store.conversations.get(userId, conversationId);
  const leaf = rows.at(-1);
  if (!conversation || !leaf || (conversation.origin === undefined) !== isKept) return undefined;
  const before = (await store.messages.branch(conversationId, leaf.id)).rows;
  const question = before.findLast(isQuestion);
  return question && { conversationId, before, question };
}

/** As a model reads them; what stands for a result that was handed over is not compared. */
function isSame(stored: readonly ChatMessage[], sent: readonly ChatMessage[]): boolean {
  const read = (messages: readonly ChatMessage[]) =>
    JSON.stringify(modelHistory(withoutPlaceholders(messages)));
  return read(stored) === read(sent.filter(isSaid));
}

function withoutPlaceholders(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool") return message;
    const results = message.results.filter(({ reason }) => reason !== "handed_over");
    return results.length > 0 ? { ...message, results } : [];
  });
}
