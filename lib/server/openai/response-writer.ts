import type { z } from "zod";
import type { ResponseBody } from "@/lib/server/contract/openai-responses";
import type { HttpError } from "@/lib/server/http/errors";
import type { RunRow } from "@/lib/store/types";
import { type Answer, type HandedCall, restOf, type WrittenPiece } from "./answer";
import type { AnswerWriter } from "./answer-form";
import { toMessageId } from "./call-refs";
import { toOpenAiError } from "./errors";

type Body = z.output<typeof ResponseBody>;

export interface ResponseHead {
  run: Pick<RunRow, "id" | "startedAt">;
  body: Body;
  /** Those of the program that the model was given. */
  tools: Extract<NonNullable<Body["tools"]>[number], { name: string }>[];
}

type Status = "in_progress" | "completed" | "incomplete" | "failed";

/** `POST /v1/responses` without `stream`; `callsBefore`: so many calls were told before its first words. */
export const toResponse = (head: ResponseHead, answer: Answer, callsBefore = 0) => ({
  ...fieldsOf(head, statusOf(answer)),
  ...(statusOf(answer) === "incomplete" && { incomplete_details: { reason: "max_output_tokens" } }),
  output: [
    ...answer.calls.slice(0, callsBefore).map(toCall),
    ...(answer.text === "" ? [] : [toMessage(head, answer.text)]),
    ...answer.calls.slice(callsBefore).map(toCall),
  ],
  usage: toUsage(answer),
});

/** Any limit that has cut the answer off is told as OpenAI's one is. */
const statusOf = ({ result, calls }: Answer): Status =>
  calls.length > 0 || result?.stopReason === "end_turn" ? "completed" : "incomplete";

/** What is told of every response, whatever has become of it. */
const fieldsOf = ({ run, body, tools }: ResponseHead, status: Status) => ({
  ...{ id: `resp_${run.id}`, object: "response", created_at: Math.floor(run.startedAt / 1000), status },
  ...{ error: null, incomplete_details: null, model: body.model, output: [], usage: null },
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: body.previous_response_id ?? null,
  reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
  store: body.store === true,
  temperature: body.temperature ?? null,
  text: { format: body.text?.format ?? { type: "text" } },
  tool_choice: body.tool_choice ?? "auto",
  tools,
  ...{ top_p: body.top_p ?? null, truncation: "disabled", background: false, metadata: {}, user: null },
});

const toMessage = ({ run }: ResponseHead, text: string, status = "completed") => ({
  ...{ type: "message", id: toMessageId(run.id), status, role: "assistant" },
  content: [toPart(text)],
});

const toPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

const toCall = (call: HandedCall) => ({
  ...{ type: "function_call", id: itemIdOf(call), call_id: call.id, name: call.name },
  ...{ arguments: call.arguments, status: "completed" },
});

const itemIdOf = ({ id }: Pick<HandedCall, "id">): string => id.replace(/^call_/, "fc_");

const toUsage = ({ usage: { inputTokens, outputTokens, cachedInputTokens = 0 } }: Answer) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedInputTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: inputTokens + outputTokens,
});

/** The same as events. What stands in each piece of text is written once: a token costs the JSON of its own words. */
export class ResponseWriter implements AnswerWriter {
  private number = 0;
  private isBegun = false;
  private hasText = false;
  /** Calls that have been told of, and those of them that were before the first words. */
  private calls = 0;
  private callsBefore = 0;
  private readonly place: { item_id: string; output_index: number; content_index: number };
  private head = "";

  constructor(private readonly about: ResponseHead) {
    this.place = { item_id: toMessageId(about.run.id), output_index: 0, content_index: 0 };
  }

  text(piece: string): string {
    const opening = this.begin() + this.openMessage();
    return `${opening}${this.head}${this.number++},"delta":${JSON.stringify(piece)}}\n\n`;
  }

  call({ id, name, index, isFirst, content }: WrittenPiece): string {
    if (isFirst) this.calls++;
    const place = this.placeOf(id, index);
    const opened = isFirst ? this.openCall({ id, name, arguments: "" }, place.output_index) : "";
    const told = content === "" ? "" : this.argumentsEvent(place, content);
    return this.begin() + opened + told;
  }

  end(answer: Answer): string {
    const begun = this.begin() + this.closeMessage(answer.text);
    const calls = answer.calls.map((call, index) => this.callEvents(call, index));
    const response = toResponse(this.about, answer, this.callsBefore);
    const type = response.status === "completed" ? "response.completed" : "response.incomplete";
    return begun + calls.join("") + this.event(type, { response });
  }

  fail(error: HttpError): string {
    const { message, code, param } = toOpenAiError(error).error;
    const response = { ...fieldsOf(this.about, "failed"), error: { code, message } };
    return (
      this.begin() +
      this.event("response.failed", { response }) +
      this.event("error", { code, message, param })
    );
  }

  private begin(): string {
    if (this.isBegun) return "";
    this.isBegun = true;
    const response = fieldsOf(this.about, "in_progress");
    return this.event("response.created", { response }) + this.event("response.in_progress", { response });
  }

  private openMessage(): string {
    if (this.hasText) return "";
    this.hasText = true;
    this.place.output_index = this.callsBefore = this.calls;
    const fields = JSON.stringify({ type: deltaType, ...this.place, logprobs: [] });
    this.head = `event: ${deltaType}\ndata: ${fields.slice(0, -1)},"sequence_number":`;
    const item = { ...toMessage(this.about, "", "in_progress"), content: [] };
    const part = toPart("");
    return (
      this.event("response.output_item.added", { output_index: this.place.output_index, item }) +
      this.event("response.content_part.added", { ...this.place, part })
    );
  }

  private closeMessage(text: string): string {
    if (!this.hasText) return "";
    const item = toMessage(this.about, text);
    return (
      this.event("response.output_text.done", { ...this.place, text, logprobs: [] }) +
      this.event("response.content_part.done", { ...this.place, part: toPart(text) }) +
      this.event("response.output_item.done", { output_index: this.place.output_index, item })
    );
  }

  /** What was not told of it while it was written. */
  private callEvents(call: HandedCall, index: number): string {
    const place = this.placeOf(call.id, index);
    const { output_index } = place;
    const { name, told, arguments: written } = call;
    const rest = told === undefined ? written : restOf(call);
    return (
      (told === undefined ? this.openCall(call, output_index) : "") +
      (rest === "" ? "" : this.argumentsEvent(place, rest)) +
      this.event("response.function_call_arguments.done", { ...place, name, arguments: written }) +
      this.event("response.output_item.done", { output_index, item: toCall(call) })
    );
  }

  /** The words stand before the calls that come after their beginning. */
  private placeOf(id: string, index: number) {
    const output_index = index + (this.hasText && index >= this.callsBefore ? 1 : 0);
    return { item_id: itemIdOf({ id }), output_index };
  }

  private openCall(call: HandedCall, output_index: number): string {
    const item = { ...toCall(call), arguments: "", status: "in_progress" };
    return this.event("response.output_item.added", { output_index, item });
  }

  private argumentsEvent(place: ReturnType<ResponseWriter["placeOf"]>, delta: string): string {
    return this.event("response.function_call_arguments.delta", { ...place, delta });
  }

  private event(type: string, fields: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: this.number++ })}\n\n`;
  }
}

const deltaType = "response.output_text.delta";
