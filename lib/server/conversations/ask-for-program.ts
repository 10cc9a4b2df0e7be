import type { z } from "zod";
import type { ChatMessage, UserMessage } from "@/lib/protocol/message";
import type { ProgramOptions } from "@/lib/protocol/program";
import type { ChatBody } from "@/lib/server/contract/chat";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import type { RunRequest } from "@/lib/server/runs/start-run";
import { textOfQuestion, titleFrom } from "@/lib/server/title";
import type { MessageRow } from "@/lib/store/types";
import { namedIn } from "./named-choice";
import type { Again } from "./run-again";

/** What a program asks, which sends all that was said with each question. */
export interface AskedByProgram {
  /** Before the question. */
  earlier: readonly ChatMessage[];
  question: UserMessage;
  /** After it: calls of the program's tools, and what came of them. */
  after: readonly ChatMessage[];
  /** Ids of the files in these messages. */
  attachments: readonly string[];
  /** It is a conversation of its person; else it is in no list, and deleted after a day. */
  isKept: boolean;
  options: ProgramOptions;
}

/** A conversation of its own, with all that the program has sent. */
export function askForProgram(
  userId: string,
  request: z.output<typeof ChatBody>,
  { earlier, question, after, attachments, isKept }: AskedByProgram,
): Omit<Again, "rerun"> & Pick<RunRequest, "before"> {
  const named = namedIn(request);
  const conversation = newConversation(userId, {
    title: titleFrom(textOfQuestion(question.parts)),
    ...(Object.keys(named).length > 0 && { choice: named }),
    ...(!isKept && { origin: "openai" as const }),
  });
  const rows = chainOf(conversation.id, [...earlier, question, ...after]);
  const before = rows.slice(0, earlier.length);
  const messages = rows.slice(earlier.length + 1);
  const [asked, last] = [rows[earlier.length] as MessageRow, rows.at(-1) as MessageRow];
  return {
    question: asked,
    parentId: last.id,
    before,
    begin: { conversation, earlier: before, question: asked, messages, attachments },
  };
}

function chainOf(conversationId: string, messages: readonly ChatMessage[]): MessageRow[] {
  let parentId: string | null = null;
  return messages.map((message) => {
    const row = newMessage({ conversationId, parentId }, message);
    parentId = row.id;
    return row;
  });
}
