import { StringDecoder } from "node:string_decoder";
import { Agent, type Dispatcher } from "undici";
import { type Provider, ProviderError, type ToolSpec, type Turn } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { pacedConnections, ReadPace } from "@/lib/providers/openai/read-pace";

/**
 * OpenAI's chat completions, spoken without an SDK: parsed once for each read of the socket, and what was sent before is
 * kept as JSON text. Text and calls only.
 */
export function wireProvider(url: string): Provider {
  const dispatcher = new Agent({ connect: pacedConnections });
  const { origin, pathname: path } = new URL(url);
  const write = createWriter();
  return {
    stream(turn) {
      const answer = new Answer(turn.signal);
      const headers = { "content-type": "application/json" };
      dispatcher.dispatch({ origin, path, method: "POST", headers, body: write(turn) }, answer);
      return answer;
    },
  };
}

function createWriter(): (turn: Turn) => string {
  const messageTexts = new WeakMap<ChatMessage, string>();
  const toolTexts = new WeakMap<readonly ToolSpec[], string>();
  const messageText = (message: ChatMessage) => {
    const text =
      messageTexts.get(message) ??
      toWire(message)
        .map((one) => JSON.stringify(one))
        .join(",");
    messageTexts.set(message, text);
    return text;
  };
  return ({ system, history, tools }) => {
    const toolText = toolTexts.get(tools) ?? JSON.stringify(tools.map(toTool));
    toolTexts.set(tools, toolText);
    const start = JSON.stringify({ role: "system", content: system });
    const options = `"tool_choice":"auto","stream":true,"stream_options":{"include_usage":true}`;
    return `{"model":"test-model","messages":[${start},${history.map(messageText).join(",")}],"tools":${toolText},${options}}`;
  };
}

const toTool = ({ name, description, inputSchema }: ToolSpec) => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
});

interface Part {
  type: string;
  text?: string;
}
const textOf = (parts: readonly Part[]) =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

function toWire(message: ChatMessage): unknown[] {
  if (message.role === "tool")
    return message.results.map(({ id, content }) => ({
      role: "tool",
      tool_call_id: id,
      content: textOf(content),
    }));
  if (message.role === "summary") return [{ role: "user", content: message.text }];
  if (message.role === "user") return [{ role: "user", content: textOf(message.parts) }];
  const calls = message.parts.filter((part) => part.type === "tool_call");
  const written = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const content = textOf(message.parts) || null;
  return [{ role: "assistant", content, ...(written.length > 0 && { tool_calls: written }) }];
}

interface Event {
  choices: {
    delta: {
      content?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments?: string } }[];
    };
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

type Step = IteratorResult<ModelChunk>;
const over: Step = { done: true, value: undefined };
/** Chunks that wait for the reader; then the socket is not read any more. */
const maxWaiting = 1_000;

/** The answer on its way: what one read of the socket brings is parsed at once and handed out piece by piece. */
class Answer implements Dispatcher.DispatchHandler, AsyncIterableIterator<ModelChunk> {
  private readonly decoder = new StringDecoder("utf8");
  private rest = "";
  private chunks: ModelChunk[] = [];
  private taken = 0;
  private reader: PromiseWithResolvers<Step> | undefined;
  private failure: unknown;
  private isAnswered = false;
  private readonly pace = new ReadPace();
  private isOver = false;
  private control: Dispatcher.DispatchController | undefined;
  private readonly calls: { id: string; name: string; written: string }[] = [];
  private stopReason: "end_turn" | "tool_use" | "max_tokens" = "end_turn";

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener("abort", this.onAbort);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  next(): Promise<Step> {
    const value = this.chunks[this.taken];
    if (value) {
      this.taken++;
      return Promise.resolve({ done: false, value });
    }
    if (this.failure) return Promise.reject(this.failure);
    if (this.isOver) return Promise.resolve(over);
    this.chunks = [];
    this.taken = 0;
    this.pace.release();
    this.reader = Promise.withResolvers();
    return this.reader.promise;
  }

  async return(): Promise<Step> {
    // After the usage only the end of the body is to come; a connection that is cut cannot be used again.
    if (!this.isOver && !this.isAnswered) this.control?.abort(new Error("The reader has gone."));
    return over;
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.control = control;
    this.pace.start(control);
    if (this.signal.aborted) this.onAbort();
  }

  onResponseStart(_control: Dispatcher.DispatchController, status: number): void {
    if (status !== 200) throw new ProviderError("unavailable", `HTTP ${status}`);
  }

  onResponseData(_control: Dispatcher.DispatchController, bytes: Buffer): void {
    this.pace.note();
    const text = this.rest + this.decoder.write(bytes);
    let start = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", start)) {
      const data = text.slice(start + "data: ".length, end);
      start = end + 2;
      if (data !== "[DONE]") this.read(JSON.parse(data) as Event);
    }
    this.rest = text.slice(start);
    if (this.chunks.length - this.taken > maxWaiting) this.pace.hold();
    this.deliver();
  }

  onResponseEnd(): void {
    this.pace.end();
    this.end();
  }

  onResponseError(_control: Dispatcher.DispatchController, cause: Error): void {
    this.pace.end();
    const { aborted, reason } = this.signal;
    this.failure ??= aborted ? reason : new ProviderError("unavailable", cause.message, { cause });
    this.end();
  }

  private read({ choices, usage }: Event): void {
    const [choice] = choices;
    if (choice?.delta.content) this.chunks.push({ type: "text", content: choice.delta.content });
    for (const { index, id = "", function: piece } of choice?.delta.tool_calls ?? []) {
      this.calls[index] ??= { id, name: "", written: "" };
      this.calls[index].name += piece.name ?? "";
      this.calls[index].written += piece.arguments ?? "";
    }
    if (choice?.finish_reason === "length") this.stopReason = "max_tokens";
    if (!usage) return;
    this.isAnswered = true;
    for (const { id, name, written } of this.calls)
      this.chunks.push({
        type: "tool_call",
        call: { type: "tool_call", id: id as ToolCallId, name, args: JSON.parse(written) },
      });
    const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
    this.chunks.push({ type: "usage", stopReason: this.stopReason, inputTokens, outputTokens });
  }

  private deliver(): void {
    if (!this.reader) return;
    const { resolve, reject } = this.reader;
    const value = this.chunks[this.taken];
    if (value) {
      this.taken++;
      resolve({ done: false, value });
    } else if (this.failure) reject(this.failure);
    else if (this.isOver) resolve(over);
    else return;
    this.reader = undefined;
  }

  private end(): void {
    this.isOver = true;
    this.signal.removeEventListener("abort", this.onAbort);
    this.deliver();
  }

  private onAbort = (): void => {
    this.failure = this.signal.reason;
    this.control?.abort(this.signal.reason as Error);
    this.end();
  };
}
