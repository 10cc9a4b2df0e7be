import type { ChatMessage, TextPart, ToolCall, UserMessage } from "@/lib/protocol/message";
import { newCallId } from "@/lib/providers/tools/call-id";
import { readCallId } from "./call-refs";
import { fieldError } from "./errors";
import type { SentFile } from "./keep-files";
import { handedCalls, type RestoredAnswer, withoutHanded } from "./restore-answer";
import type { SentAnswer, SentCall, SentMessage } from "./sent-message";

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
  keep(file: SentFile): Promise<UserMessage["parts"][number]>;
  /** The answer that this run has begun, where it is there. */
  restore(runId: string): Promise<RestoredAnswer | undefined>;
  /** Where more would stand in the request. */
  end: string;
  /** The answer that they come after. */
  after?: RestoredAnswer | undefined;
}

/**
 * Messages as the API's own are, with call ids of ours. In place of an answer that Meguri has given comes all of it: calls of its
 * own tools and their results too. Refused where calls and results do not belong together: an open call would be run.
 */
export async function readMessages(sent: readonly SentMessage[], reading: Reading): Promise<ReadMessages> {
  const instructions: string[] = [];
  const messages: ChatMessage[] = [];
  let restored: ReadMessages["restored"];
  let round = reading.after ? new Round([], handedCalls(reading.after)) : noRound;
  for (const message of sent) {
    if (message.role !== "tool") round.close(message.param);
    switch (message.role) {
      case "system":
        instructions.push(message.text);
        break;
      case "user":
        messages.push(await toQuestion(message.parts, reading));
        break;
      case "assistant": {
        round = await readAnswer(message, reading);
        messages.push(...round.messages);
        if (round.restored) restored = { answer: round.restored, end: messages.length };
        break;
      }
      case "tool":
        messages.push(round.answer(message));
        break;
    }
  }
  round.close(reading.end);
  return { instructions: instructions.join("\n\n"), messages, ...(restored && { restored }) };
}

async function toQuestion(
  sent: Extract<SentMessage, { role: "user" }>["parts"],
  { keep }: Reading,
): Promise<UserMessage> {
  const parts: UserMessage["parts"] = [];
  for (const part of sent)
    if (part.type === "file") parts.push(await keep(part));
    else if (part.text !== "") parts.push({ type: "text", text: part.text });
  return { role: "user", parts };
}

async function readAnswer(answer: SentAnswer, { restore }: Reading): Promise<Round> {
  const { text, calls, param } = answer;
  const runId = readCallId(calls[0]?.id ?? "")?.runId ?? answer.runId;
  const found = runId === undefined ? undefined : await restore(runId);
  const own = found && ownCalls(calls, found);
  if (found && own) {
    const messages = withoutHanded(found, new Set([...own.values()].map(({ id }) => id)));
    return new Round(messages, own, found);
  }
  if (answer.runId !== undefined && text === "" && calls.length === 0)
    throw fieldError(param, "this answer is not kept any more; send its words.");
  const read = calls.map((call) => [call.id, toCall(call)] as const);
  const parts = [...(text === "" ? [] : [toText(text)]), ...read.map(([, call]) => call)];
  return new Round([{ role: "assistant", parts }], new Map(read));
}

/** Those that it was given, by the ids of the program; undefined where it has changed something, which counts as it stands. */
function ownCalls(sent: readonly SentCall[], found: RestoredAnswer): Map<string, ToolCall> | undefined {
  const handed = handedCalls(found);
  const own = new Map<string, ToolCall>();
  for (const { id, name } of sent) {
    const call = handed.get(id);
    if (call?.name !== name) return undefined;
    own.set(id, call);
  }
  return own;
}

function toCall({ name, arguments: written }: SentCall): ToolCall {
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

  answer({ id, text, param }: Extract<SentMessage, { role: "tool" }>): ChatMessage {
    const call = this.open.get(id);
    if (!call)
      throw fieldError(
        param,
        "must be the id of a call in the answer of the assistant right before, and be answered once.",
      );
    this.open.delete(id);
    return { role: "tool", results: [{ id: call.id, status: "ok", content: [toText(text)] }] };
  }

  /** Nothing is open when something else is said. */
  close(param: string): void {
    const [open] = this.open.keys();
    if (open === undefined) return;
    throw fieldError(
      param,
      `the call ${open.slice(0, 100)} has no result; send what came of each call before anything else.`,
    );
  }
}

const noRound = new Round([], new Map());

const toText = (text: string): TextPart => ({ type: "text", text });
