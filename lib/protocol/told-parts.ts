import type { ChatMessage, FilePart, ToolCall, ToolResult } from "./message";

/** What somebody reads of a conversation, in order, whatever it is written as. */
export type ToldPart =
  | { kind: "question"; text: string; files: readonly FilePart[] }
  /** Here it begins; `model` as its id. */
  | { kind: "answer"; model: string | null }
  /** Said while the answer was being written. */
  | { kind: "said"; text: string; files: readonly FilePart[] }
  | { kind: "text"; text: string }
  /** An answer that had to fit a schema. */
  | { kind: "json"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "call"; name: string; args: unknown; result: ToolResult | null }
  | { kind: "summary"; text: string };

/** The words that are written round the parts, in a reader's language. */
export interface ToldWords {
  question: string;
  said: string;
  answer: string;
  reasoning: string;
  summary: string;
  call: string;
  arguments: string;
  result: string;
  /** Of a call that has none. */
  noResult: string;
  /** In place of a result that is empty. */
  empty: string;
  status: Record<Exclude<ToolResult["status"], "ok">, string>;
}

export interface ToldMessage {
  message: ChatMessage;
  /** The run that wrote it, or read it on its way; a question has none. */
  runId: string | null;
  model: string | null;
}

/** The parts of messages of one branch. A call is told with its result, which may be in any of the tool messages right behind it. */
export async function* partsOf(
  messages: AsyncIterable<ToldMessage> | Iterable<ToldMessage>,
): AsyncGenerator<ToldPart, void> {
  let calls: ToolCall[] = [];
  let results = new Map<string, ToolResult>();
  let isAnswer = false;
  const told = (): ToldPart[] => calls.map((call) => toCall(call, results.get(call.id) ?? null));
  for await (const { message, runId, model } of messages) {
    if (message.role === "tool") {
      for (const result of message.results) results.set(result.id, result);
      continue;
    }
    yield* told();
    [calls, results] = [[], new Map()];
    const isQuestion = message.role === "user" && runId === null;
    if (!isQuestion && !isAnswer) yield { kind: "answer", model };
    isAnswer = !isQuestion;
    if (message.role === "user") yield toSaid(message, !isQuestion);
    else if (message.role === "summary") yield { kind: "summary", text: message.text };
    else
      for (const part of message.parts)
        if (part.type === "tool_call") calls.push(part);
        else if (part.text !== "") yield toText(part);
  }
  yield* told();
}

/** The arguments that ran, which a person may have changed. */
export const toCall = (call: ToolCall, result: ToolResult | null): ToldPart => ({
  kind: "call",
  name: call.name,
  args: result?.args ?? call.malformed ?? call.args,
  result,
});

function toSaid({ parts }: Extract<ChatMessage, { role: "user" }>, isMeanwhile: boolean): ToldPart {
  return {
    kind: isMeanwhile ? "said" : "question",
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    files: parts.filter((part) => part.type === "file"),
  };
}

function toText(
  part: Exclude<Extract<ChatMessage, { role: "assistant" }>["parts"][number], ToolCall>,
): ToldPart {
  if (part.type === "reasoning") return { kind: "reasoning", text: part.text };
  return { kind: part.format === "json" ? "json" : "text", text: part.text };
}
