import type { z } from "zod";
import type { ChatMessage, UserMessage } from "@/lib/protocol/message";
import type { ProgramOptions } from "@/lib/protocol/program";
import type { ChatBody } from "@/lib/server/contract/chat";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import type { RunRequest } from "@/lib/server/runs/start-run";
import { textOfQuestion, titleFrom } from "@/lib/server/title";
import type { MessageRow, RunStart } from "@/lib/store/types";
import { namedIn } from "./named-choice";
import type { Again } from "./run-again";

/** What a program asks, which sends all that was said with each question. */
export interface AskedByProgram {
  /** In a conversation that is there: all that was said on its branch, and the last question in it. A new one without. */
  place?: { conversationId: string; before: readonly MessageRow[]; question: MessageRow } | undefined;
  /** Before the question. */
  earlier: readonly ChatMessage[];
  /** Undefined where the last one in `place` goes on. */
  question?: UserMessage;
  /** After it: calls of the program's tools, and what came of them. */
  after: readonly ChatMessage[];
  /** Ids of the files in these messages. */
  attachments: readonly string[];
  /** It is a conversation of its person; else it is in no list, and deleted after a day. */
  isKept: boolean;
  options: ProgramOptions;
  /** The API token that it has come with; absent for the launch token. */
  tokenId?: string;
}

/** Stores all that the program has sent and is not stored yet; a new conversation has it all. */
export function askForProgram(
  userId: string,
  request: z.output<typeof ChatBody>,
  { place, earlier, question: asked, after, attachments, isKept }: AskedByProgram,
): Omit<Again, "rerun"> & Pick<RunRequest, "before"> {
  const conversation = place ? undefined : beginConversation(userId, request, asked, isKept);
  const id = place?.conversationId ?? conversation?.id ?? "";
  const rows = chainOf(id, place?.before.at(-1)?.id ?? null, [
    ...earlier,
    ...(asked ? [asked] : []),
    ...after,
  ]);
  const first = rows.slice(0, earlier.length);
  const question = (asked ? rows[earlier.length] : place?.question) as MessageRow;
  const messages = rows.slice(earlier.length + (asked ? 1 : 0));
  const begin: RunStart = {
    ...(conversation && { conversation }),
    // The same may be asked again while its answer is being written.
    ...(place && { isBranch: true as const }),
    ...(asked && { earlier: first, question }),
    ...{ messages, attachments },
  };
  const parentId = rows.at(-1)?.id ?? question.id;
  return { question, parentId, before: [...(place?.before ?? []), ...first], begin };
}

function beginConversation(
  userId: string,
  request: z.output<typeof ChatBody>,
  question: UserMessage | undefined,
  isKept: boolean,
) {
  const named = namedIn(request);
  return newConversation(userId, {
    title: titleFrom(textOfQuestion(question?.parts ?? [])),
    ...(Object.keys(named).length > 0 && { choice: named }),
    ...(!isKept && { origin: "v1" as const }),
  });
}

function chainOf(
  conversationId: string,
  from: string | null,
  messages: readonly ChatMessage[],
): MessageRow[] {
  let parentId = from;
  return messages.map((message) => {
    const row = newMessage({ conversationId, parentId }, message);
    parentId = row.id;
    return row;
  });
}
