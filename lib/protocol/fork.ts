import type { ForkStep } from "./fork-step";
import { callsIn, openToolCalls } from "./history";
import type { ToolCallId } from "./ids";
import type { ChatMessage, ToolCall, ToolContent, ToolMessage, ToolResult } from "./message";

/** What a person has put in place of one thing that the log of a run says. */
export type ForkEdit =
  /** In place of the words of the step's turn, whose calls go. */
  | { text: string }
  /** The arguments with which a call of the step's round runs. */
  | { callId: ToolCallId; args: Record<string, unknown> }
  /** The result of a call, which does not run. */
  | { callId: ToolCallId; result: { status: ToolResult["status"]; content: ToolContent[] } };

/** Where a run was forked from. What was edited stands in its history; this says which part of it. */
export interface ForkOrigin {
  runId: string;
  seq: number;
  /** `as`: the id under which the call runs here. */
  edit:
    | { part: "text" }
    | { part: "args"; callId: string; as: string }
    | { part: "result"; callId: string }
    | null;
  /** Of a workflow: as many events of its log are copies, and the path of the agent whose step it is. */
  copied?: number;
  agent?: string;
}

/** What became of calls after the step: they ran once, and never again by themselves. */
export interface RoundOutcome {
  results: ReadonlyMap<ToolCallId, ToolResult>;
  /** Those that were sent; without a result their outcome is not known. */
  sent: ReadonlySet<ToolCallId>;
}

export interface ForkedAnswer {
  /** `at`: the index of the message in the answer that it comes from; a new one has none. */
  messages: { at?: number; message: ChatMessage }[];
  /** Of the call whose arguments were edited: the id under which it runs. */
  as?: ToolCallId;
  /** It is complete, and no model is asked. */
  isWhole: boolean;
}

/**
 * The messages with which a fork begins: those of the answer up to the step, with one edit. A round is taken as a whole, also
 * after the turn that asks for it. Only calls that were never sent, and the one with other arguments, are open, under new
 * ids: two tries never share one.
 */
export function forkAnswer(
  answer: readonly ChatMessage[],
  step: Pick<ForkStep, "kind" | "isEnd">,
  { edit, outcome, newId }: { edit?: ForkEdit | undefined; outcome: RoundOutcome; newId: () => ToolCallId },
): ForkedAnswer {
  if (edit && "text" in edit) return { messages: withText(answer, step, edit.text), isWhole: true };
  const anew = edit && "args" in edit ? edit.callId : undefined;
  const given = edit && "result" in edit ? givenResult(edit) : undefined;
  const late: ToolResult[] = [];
  const names = new Map<ToolCallId, ToolCallId>();
  if (anew !== undefined) names.set(anew, newId());
  for (const { id } of openToolCalls(answer)) {
    if (id === anew) continue;
    const result = given?.id === id ? given : resultOf(id, outcome);
    if (result) late.push(result);
    else names.set(id, newId());
  }
  const messages = answer.flatMap((message, at) => {
    const kept = keptMessage(message, { names, anew, given, results: outcome.results });
    return kept ? [{ at, message: kept }] : [];
  });
  const as = anew && names.get(anew);
  return {
    messages: late.length > 0 ? [...messages, { message: { role: "tool", results: late } }] : messages,
    ...(as && { as }),
    isWhole: step.isEnd,
  };
}

/** The calls of the last round, answered or not. */
export function callsOfLastRound(answer: readonly ChatMessage[]): ToolCall[] {
  const asking = answer.findLast(({ role }) => role !== "tool");
  return asking ? callsIn(asking) : [];
}

/** Signatures and thoughts belong to the words that are gone. A turn that has said nothing has no message. */
function withText(
  answer: readonly ChatMessage[],
  { kind }: Pick<ForkStep, "kind">,
  text: string,
): ForkedAnswer["messages"] {
  const end = kind === "turn" ? answer.length - 1 : answer.findLastIndex(({ role }) => role !== "tool");
  const at = answer[end]?.role === "assistant" ? end : answer.length;
  const kept = answer.slice(0, at).map((message, index) => ({ at: index, message }));
  const message: ChatMessage = { role: "assistant", parts: [{ type: "text", text }], by: "person" };
  return [...kept, at < answer.length ? { at, message } : { message }];
}

/** What a person has put in place of a result. */
export const givenResult = ({ callId, result }: Extract<ForkEdit, { result: unknown }>): ToolResult => ({
  id: callId,
  ...result,
  by: "person",
});

/** What became of a call; of one that was sent, that nobody knows; nothing of one that was not. */
export const resultOf = (id: ToolCallId, { results, sent }: RoundOutcome): ToolResult | undefined =>
  results.get(id) ?? (sent.has(id) ? { ...sentBefore, id } : undefined);

const sentBefore: Omit<ToolResult, "id"> = {
  status: "unknown",
  reason: "unfinished",
  content: [
    { type: "text", text: "Sent in the answer that this one was forked from, before its result had come." },
  ],
};

interface Changes {
  names: ReadonlyMap<ToolCallId, ToolCallId>;
  anew: ToolCallId | undefined;
  given: ToolResult | undefined;
  results: RoundOutcome["results"];
}

function keptMessage(
  message: ChatMessage,
  { names, anew, given, results: ended }: Changes,
): ChatMessage | undefined {
  if (message.role === "assistant") return renamed(message, names);
  if (message.role !== "tool") return message;
  const results = message.results.flatMap((result) => {
    if (result.id === anew) return [];
    if (result.id === given?.id) return { ...given, ...(result.endsTurn && { endsTurn: true as const }) };
    // A crash has put it there; the call may have got another when the run was resumed.
    return (result.reason === "cut_short" && ended.get(result.id)) || result;
  });
  return results.length > 0 ? ({ ...message, results } satisfies ToolMessage) : undefined;
}

function renamed(
  message: ChatMessage & { role: "assistant" },
  names: ReadonlyMap<ToolCallId, ToolCallId>,
): ChatMessage {
  if (!message.parts.some((part) => part.type === "tool_call" && names.has(part.id))) return message;
  const parts = message.parts.map((part) =>
    part.type === "tool_call" ? { ...part, id: names.get(part.id) ?? part.id } : part,
  );
  return { ...message, parts };
}
