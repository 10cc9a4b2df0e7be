import type { z } from "zod";
import type { ConversationChoice } from "@/lib/protocol/choice";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { ConversationListRow } from "@/lib/store/types";

/** What a request names of what a conversation can choose. */
export const namedIn = ({
  model,
  assistant,
  options,
  instructions,
  servers,
  deferred,
}: z.output<typeof ChatBody>): ConversationChoice => ({
  ...(model !== undefined && { model }),
  ...(assistant !== undefined && { assistant }),
  ...(options?.effort !== undefined && { effort: options.effort }),
  ...(instructions !== undefined && { instructions }),
  ...(servers !== undefined && { servers }),
  ...(deferred !== undefined && { deferred }),
});

/** Whether no message has been sent in it yet. */
export const isBeginning = (conversation: ConversationListRow | undefined): boolean => !conversation?.leafId;

/** What the first message names is the choice of its conversation; later on only a model is, and the rest holds for one answer. */
export function newChoice(
  named: ConversationChoice,
  conversation: ConversationListRow | undefined,
): ConversationChoice | undefined {
  if (!conversation) return undefined;
  const { model } = named;
  const kept = isBeginning(conversation) ? named : model === undefined ? {} : { model };
  const isNew =
    Object.keys(kept).length > 0 && (isBeginning(conversation) || model !== conversation.choice?.model);
  return isNew ? kept : undefined;
}
