import { APICallError } from "@ai-sdk/provider";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ProviderError } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { cutUsage } from "@/lib/providers/faults/cut-usage";
import { readEnding } from "@/lib/providers/faults/endings";
import { cutShort, type Endpoint, hasVersion, shownAddress } from "@/lib/providers/faults/failure";
import { OpenAiCalls } from "./calls";
import {
  type Completion,
  type ContentPart,
  type Delta,
  parseCompletion,
  reasons,
  tokens,
  type Usage,
} from "./completion";
import { ThinkTags } from "./think-tags";

/** Reads the body of a chat completion, piece by piece as it comes, into our chunks. Throws what `toProviderError` understands. */
export class OpenAiAnswer {
  /** Whether everything has been said; what may still come does not count. */
  isOver = false;
  /** Over before its end, as its calls are too large: the rest is not read. */
  isCut = false;
  private form: "unknown" | "events" | "json" = "unknown";
  private json = "";
  private readonly calls: OpenAiCalls;
  private readonly tags = new ThinkTags(
    (text) => this.say(text),
    (thought) => this.think(thought),
  );
  private said = false;
  private refused = false;
  private reason: string | undefined;
  private usage: Usage = {};
  private readonly events = createParser({
    onEvent: (event) => this.onEvent(event),
    onError: ({ type, message }) => {
      if (type === "max-buffer-size-exceeded") throw new Error(message);
    },
    maxBufferSize: maxLength,
  });

  /** `key` marks signatures as this provider's; `hand` takes the chunks; `prompt` is what was sent. */
  constructor(
    private readonly endpoint: Endpoint,
    key: string,
    private readonly hand: (chunk: ModelChunk) => void,
    private readonly prompt: () => string,
  ) {
    this.calls = new OpenAiCalls(key, hand);
  }

  feed(piece: string): void {
    // Also takes a byte order mark away.
    const text = this.form === "unknown" ? piece.trimStart() : piece;
    if (this.form === "unknown") this.form = this.formOf(text);
    if (this.form === "events") this.events.feed(text);
    else if (this.form === "json") {
      this.json += text;
      if (this.json.length > maxLength) throw new Error("Its answer has no end.");
    }
  }

  /** The body has ended. */
  end(): void {
    if (this.form === "json") this.readWhole();
    if (!this.isOver) this.finish();
  }

  /** By what the body begins with: the type that servers give it is not always right. */
  private formOf(text: string): typeof this.form {
    switch (text.charAt(0)) {
      case "":
        return "unknown";
      case "{":
      case "[":
        return "json";
      case "<":
        throw notTheWire(this.endpoint);
      default:
        return "events";
    }
  }

  private onEvent({ event, data }: EventSourceMessage): void {
    if (this.isOver || !data) return;
    if (data.startsWith("[DONE]")) this.finish();
    else this.read(parseCompletion(data), event === "error");
  }

  /** A server that does not stream, or an error that came as a success. */
  private readWhole(): void {
    const value = parseCompletion(this.json);
    if (!value.choices && !value.error) throw asRefusal(this.json, this.endpoint);
    this.read(value);
  }

  private read(value: Completion, isError = false): void {
    const { error, choices, usage } = value;
    if (error) throw typeof error === "string" ? { message: error, type: value.error_type } : error;
    // As older versions of vLLM say it.
    if (isError || value.object === "error") throw value;
    if (usage) this.usage = usage;
    const choice = choices?.[0];
    if (!choice) return;
    if (choice.finish_reason) this.reason = String(choice.finish_reason);
    const delta = choice.delta ?? choice.message;
    if (delta) this.readDelta(delta);
  }

  private readDelta(delta: Delta): void {
    const thought = delta.reasoning_content || delta.reasoning;
    if (thought) this.think(thought);
    const { content, refusal } = delta;
    if (typeof content === "string") this.tags.feed(content);
    else if (content) for (const part of Array.isArray(content) ? content : []) this.readPart(part);
    if (typeof refusal === "string" && refusal) {
      this.refused = true;
      this.tags.end();
      this.say(refusal);
    }
    if (!delta.tool_calls) return;
    for (const call of delta.tool_calls) this.calls.add(call);
    if (this.calls.isTooLarge) this.cut();
  }

  private cut(): void {
    this.tags.end();
    for (const call of this.calls.finish()) this.hand({ type: "tool_call", call });
    this.isCut = true;
    this.isOver = true;
    this.hand(cutUsage(this.prompt(), this.calls.size));
  }

  /** Mistral writes its content in parts while it thinks. */
  private readPart({ type, text, thinking }: ContentPart): void {
    if (type === "text" && typeof text === "string") this.tags.feed(text);
    else if (type === "thinking" && Array.isArray(thinking))
      for (const part of thinking) this.think(part?.text);
  }

  private say(content: string): void {
    if (!content) return;
    this.said = true;
    this.hand({ type: "text", content });
  }

  private think(content: unknown): void {
    if (typeof content === "string" && content) this.hand({ type: "reasoning", content });
  }

  private finish(): void {
    this.tags.end();
    const { endpoint, reason, said } = this;
    if (reason === undefined) throw cutShort(endpoint);
    const calls = this.calls.finish();
    const unified = this.refused && reason === "stop" ? "content-filter" : (reasons[reason] ?? "other");
    const { stopReason, notice } = readEnding(
      { unified, raw: reason },
      { said, calls: calls.length },
      endpoint,
    );
    for (const call of calls) this.hand({ type: "tool_call", call });
    if (notice) this.hand({ type: "notice", kind: "server", message: notice });
    this.isOver = true;
    this.hand({ type: "usage", stopReason, ...tokens(this.usage) });
  }
}

const asRefusal = (responseBody: string, { baseURL: url }: Endpoint) =>
  new APICallError({ message: "", url, requestBodyValues: undefined, responseBody });

const notTheWire = ({ baseURL, addressVariable }: Endpoint) =>
  new ProviderError(
    "bad_response",
    hasVersion(baseURL)
      ? `${shownAddress(baseURL)} answered with a web page. Check ${addressVariable}.`
      : `${shownAddress(baseURL)} answered with a web page. Check ${addressVariable}; most servers want it to end in /v1.`,
  );

/** Of one event, or of an answer that comes whole. */
const maxLength = 10_000_000;
