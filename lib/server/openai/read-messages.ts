import type { z } from "zod";
import type { ChatMessage, TextPart, ToolCall, UserMessage } from "@/lib/protocol/message";
import { newCallId } from "@/lib/providers/tools/call-id";
import type { ChatCompletionBody } from "@/lib/server/contract/openai";
import { readCallId } from "./call-refs";
import { fieldError } from "./errors";
import { type RestoredAnswer, withoutHanded } from "./restore-answer";

type Message = z.output<typeof ChatCompletionBody>["messages"][number];
type MessageOf<Role extends Message["role"]> = Extract<Message, { role: Role }>;
type QuestionPart = MessageOf<"user">["content"][number];
export type SentPart = Exclude<QuestionPart, { type: "text" }>;

/** What a program has sent, as Meguri keeps it. */
export interface ReadMessages {
  /** What its system messages say, wherever they stand. */
  instructions: string;
  messages: ChatMessage[];
  /** The last answer of which the program was given calls, and how many of the messages there are up to its end. */
  restored?: { answer: RestoredAnswer; end: number };
}

/** What messages are read with. */
export interface Reading {
  /** Makes a part of a file; `param` is where it stands in the request. */
  keep(part: SentPart, param: string): Promise<UserMessage["parts"][number]>;
  /** The answer that this run has begun, where it is there. */
  restore(runId: string): Promise<RestoredAnswer | undefined>;
}

/**
 * Messages as the API's own are, with call ids of ours. In place of an answer that Meguri has given comes all of it: calls of its
 * own tools and their results too. Refused where calls and results do not belong together: an open call would be run.
 */
export async function readMessages(sent: readonly Message[], reading: Reading): Promise<ReadMessages> {
  const instructions: string[] = [];
  const messages: ChatMessage[] = [];
  let restored: ReadMessages["restored"];
  let round = noRound;
  for (const [index, message] of sent.entries()) {
    const param = `messages[${index}]`;
    if (message.role !== "tool") round.close(param);
    switch (message.role) {
      case "system":
      case "developer":
        instructions.push(textOf(message.content));
        break;
      case "user":
        messages.push(await toQuestion(message, param, reading));
        break;
      case "assistant": {
        round = await readAnswer(message, reading);
        messages.push(...round.messages);
        if (round.restored) restored = { answer: round.restored, end: messages.length };
        break;
      }
      case "tool":
        messages.push(round.answer(message, param));
        break;
    }
  }
  round.close(`messages[${sent.length}]`);
  return { instructions: instructions.join("\n\n"), messages, ...(restored && { restored }) };
}

async function toQuestion(
  { content }: MessageOf<"user">,
  param: string,
  { keep }: Reading,
): Promise<UserMessage> {
  const parts: UserMessage["parts"] = [];
  for (const [index, part] of content.entries())
    if (part.type !== "text") parts.push(await keep(part, `${param}.content[${index}]`));
    else if (part.text !== "") parts.push({ type: "text", text: part.text });
  return { role: "user", parts };
}

async function readAnswer(
  { content, tool_calls }: MessageOf<"assistant">,
  { restore }: Reading,
): Promise<Round> {
  const sent = tool_calls ?? [];
  const refs = sent.map(({ id }) => readCallId(id));
  const runId = refs[0]?.runId;
  const found = runId === undefined ? undefined : await restore(runId);
  const calls = refs.map((ref) => (ref && ref.runId === runId ? found?.calls[ref.index] : undefined));
  // What was changed by the program counts as it stands.
  if (found && calls.every((call, index) => call !== undefined && call.name === sent[index]?.function.name)) {
    const own = calls as ToolCall[];
    const messages = withoutHanded(found, new Set(own.map(({ id }) => id)));
    return new Round(messages, new Map(sent.map(({ id }, index) => [id, own[index] as ToolCall])), found);
  }
  const read = sent.map((call) => [call.id, toCall(call.function)] as const);
  const text = textOf(content ?? []);
  const parts = [...(text === "" ? [] : [toText(text)]), ...read.map(([, call]) => call)];
  return new Round([{ role: "assistant", parts }], new Map(read));
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

/** An answer, and its calls that are to be answered next, by the ids of the program. */
class Round {
  constructor(
    readonly messages: readonly ChatMessage[],
    private readonly open: Map<string, ToolCall>,
    readonly restored?: RestoredAnswer,
  ) {}

  answer({ content, tool_call_id }: MessageOf<"tool">, param: string): ChatMessage {
    const call = this.open.get(tool_call_id);
    if (!call)
      throw fieldError(
        `${param}.tool_call_id`,
        "must be the id of a call in the message of the assistant right before, and be answered once.",
      );
    this.open.delete(tool_call_id);
    return {
      role: "tool",
      results: [{ id: call.id, status: "ok", content: [toText(textOf(content))] }],
    };
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

const noRound = new Round([], new Map());

const toText = (text: string): TextPart => ({ type: "text", text });

const textOf = (content: readonly { text: string }[]): string => content.map(({ text }) => text).join("\n");
