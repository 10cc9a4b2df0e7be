import type { z } from "zod";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, TextPart, ToolCall, UserMessage } from "@/lib/protocol/message";
import { newCallId } from "@/lib/providers/tools/call-id";
import type { ChatCompletionBody } from "@/lib/server/contract/openai";
import { fieldError } from "./errors";

type Message = z.output<typeof ChatCompletionBody>["messages"][number];
type MessageOf<Role extends Message["role"]> = Extract<Message, { role: Role }>;
type QuestionPart = MessageOf<"user">["content"][number];
export type SentPart = Exclude<QuestionPart, { type: "text" }>;

/** What a program has sent, as Meguri keeps it. */
export interface ReadMessages {
  /** What its system messages say, wherever they stand. */
  instructions: string;
  earlier: ChatMessage[];
  question: UserMessage;
  after: ChatMessage[];
}

/** Makes a part of a file; `param` is where it stands in the request. */
export type KeepFile = (part: SentPart, param: string) => Promise<UserMessage["parts"][number]>;

/**
 * Messages as the API's own are, with call ids of ours. Refused where the last question is missing, and where calls and results
 * do not belong together: an open call would be run.
 */
export async function readMessages(messages: readonly Message[], keep: KeepFile): Promise<ReadMessages> {
  const instructions: string[] = [];
  const read: ChatMessage[] = [];
  const round = new Round();
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    if (message.role !== "tool") round.close(param);
    switch (message.role) {
      case "system":
      case "developer":
        instructions.push(textOf(message.content));
        break;
      case "user":
        read.push(await toQuestion(message, param, keep));
        break;
      case "assistant":
        read.push(toAnswer(message, round));
        break;
      case "tool":
        read.push(round.answer(message, param));
        break;
    }
  }
  round.close(`messages[${messages.length}]`);
  return { instructions: instructions.join("\n\n"), ...split(read.filter(isSaid)) };
}

/** Providers refuse what says nothing. */
const isSaid = (message: ChatMessage): boolean => !("parts" in message) || message.parts.length > 0;

function split(read: ChatMessage[]): Pick<ReadMessages, "earlier" | "question" | "after"> {
  const at = read.findLastIndex(({ role }) => role === "user");
  const question = read[at];
  if (question?.role !== "user")
    throw fieldError("messages", "send at least one message of the role user that says something.");
  return { earlier: read.slice(0, at), question, after: read.slice(at + 1) };
}

async function toQuestion(
  { content }: MessageOf<"user">,
  param: string,
  keep: KeepFile,
): Promise<UserMessage> {
  const parts: UserMessage["parts"] = [];
  for (const [index, part] of content.entries())
    if (part.type !== "text") parts.push(await keep(part, `${param}.content[${index}]`));
    else if (part.text !== "") parts.push({ type: "text", text: part.text });
  return { role: "user", parts };
}

function toAnswer({ content, tool_calls }: MessageOf<"assistant">, round: Round): ChatMessage {
  const text = textOf(content ?? []);
  const calls = (tool_calls ?? []).map((call) => round.ask(call.id, toCall(call.function)));
  return { role: "assistant", parts: [...(text === "" ? [] : [toText(text)]), ...calls] };
}

function toCall({ name, arguments: written }: { name: string; arguments: string }): ToolCall {
  const args = parsed(written);
  const call = { type: "tool_call" as const, id: newCallId(), name };
  return args ? { ...call, args } : { ...call, args: {}, malformed: written };
}

function parsed(written: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(written || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The calls of the last answer, by the ids of the program. */
class Round {
  private readonly open = new Map<string, ToolCallId>();

  ask(id: string, call: ToolCall): ToolCall {
    this.open.set(id, call.id);
    return call;
  }

  answer({ content, tool_call_id }: MessageOf<"tool">, param: string): ChatMessage {
    const id = this.open.get(tool_call_id);
    if (id === undefined)
      throw fieldError(
        `${param}.tool_call_id`,
        "must be the id of a call in the message of the assistant right before, and be answered once.",
      );
    this.open.delete(tool_call_id);
    return { role: "tool", results: [{ id, status: "ok", content: [toText(textOf(content))] }] };
  }

  /** Nothing is open when something else is said. */
  close(param: string): void {
    const [open] = this.open.keys();
    if (open === undefined) return;
    throw fieldError(
      param,
      `the tool call ${open.slice(0, 100)} is not answered; send a message of the role tool for each call before anything else.`,
    );
  }
}

const toText = (text: string): TextPart => ({ type: "text", text });

const textOf = (content: readonly { text: string }[]): string => content.map(({ text }) => text).join("\n");
