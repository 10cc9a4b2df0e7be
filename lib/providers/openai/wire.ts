import type { Dispatcher } from "undici";
import type { ModelChunks, Turn } from "@/lib/agent/ports";
import { beforeProviderRead } from "@/lib/faults/fault-points";
import { type Endpoint, toProviderError } from "@/lib/providers/faults/failure";
import { recordedDispatcher } from "@/lib/providers/shared/recorded-wire";
import { OpenAiAnswer } from "./answer";
import { type BodyPiece, bytesOf, textOf } from "./body-piece";
import { BodyText } from "./body-text";
import { ChunkQueue, over, type Step } from "./chunk-queue";
import { ReadPace } from "./read-pace";
import { type RawHeaders, Refusal } from "./refusal";

export interface OpenAiWire {
  dispatcher: Dispatcher;
  /** Of the chat completions. */
  url: string;
  headers: Record<string, string>;
  endpoint: Endpoint;
  /** Marks signatures as this provider's. */
  key: string;
  /** The body of the request. */
  write(turn: Turn): BodyPiece[];
}

/**
 * One model turn over OpenAI's chat completions, as `Provider.stream` states it. Asks once, and only when the first chunk
 * is asked for. Neither a generator nor a web stream: for each token one of those costs more than all other work.
 */
export const streamCompletion = (wire: OpenAiWire, turn: Turn): AsyncIterable<ModelChunks> => ({
  [Symbol.asyncIterator]: () => new Exchange(wire, turn),
});

/** What one read of the socket brings is read and handed out at once. */
class Exchange implements Dispatcher.DispatchHandler, AsyncIterator<ModelChunks> {
  private readonly answer: OpenAiAnswer;
  private readonly queue = new ChunkQueue();
  private readonly pace = new ReadPace();
  private control: Dispatcher.DispatchController | undefined;
  private body: BodyText | undefined;
  private refusal: Refusal | undefined;
  private phase: "new" | "sent" | "answering" | "drained" = "new";
  private lingering: NodeJS.Timeout | undefined;

  constructor(
    private readonly wire: OpenAiWire,
    private readonly turn: Turn,
  ) {
    const prompt = () => textOf(wire.write(turn));
    this.answer = new OpenAiAnswer(wire.endpoint, wire.key, this.queue.push, prompt);
  }

  next(): Promise<Step> {
    const { signal } = this.turn;
    // Also where all has been read and only waits to be taken.
    if (signal.aborted) return Promise.reject(signal.reason);
    const step = this.queue.next();
    if (this.phase === "new") this.send();
    else if (this.queue.size === 0) this.pace.release();
    return step;
  }

  async return(): Promise<Step> {
    if (!this.queue.isOver) {
      this.end();
      this.control?.abort(new Error("The reader of the answer has gone."));
    }
    return over;
  }

  private send(): void {
    const { dispatcher, url, headers, write, endpoint } = this.wire;
    const { signal, wire } = this.turn;
    this.phase = "sent";
    try {
      const body = bytesOf(write(this.turn));
      signal.addEventListener("abort", this.onAbort);
      const { origin, pathname, search } = new URL(url);
      const sender = wire ? recordedDispatcher(dispatcher, wire, endpoint) : dispatcher;
      sender.dispatch({ origin, path: `${pathname}${search}`, method: "POST", headers, body }, this);
    } catch (cause) {
      this.fail(cause);
    }
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.control = control;
    this.pace.start(control);
    if (this.queue.isOver) control.abort(new Error("The request was given up before it was sent."));
  }

  onResponseStart(
    _control: Dispatcher.DispatchController,
    statusCode: number,
    headers: RawHeaders,
    said = "",
  ): void {
    if (statusCode < 200) return;
    this.phase = "answering";
    if (statusCode >= 300) this.refusal = new Refusal(statusCode, headers, said);
    this.body = new BodyText(headers["content-encoding"]?.toString(), {
      text: this.take,
      end: this.onBodyEnd,
      fail: this.stop,
    });
  }

  onResponseData(_control: Dispatcher.DispatchController, bytes: Buffer): void {
    this.pace.note();
    beforeProviderRead?.();
    this.body?.write(bytes);
  }

  onResponseEnd(): void {
    this.phase = "drained";
    this.pace.end();
    clearTimeout(this.lingering);
    this.body?.end();
  }

  onResponseError(_control: Dispatcher.DispatchController, cause: Error): void {
    this.pace.end();
    clearTimeout(this.lingering);
    this.body?.destroy();
    if (this.refusal) this.stop(this.refusal.toError(this.wire.url));
    else if (this.phase === "answering") this.fail(new TypeError("terminated", { cause }));
    else this.fail(new Error(`Cannot connect: ${cause.message}`, { cause }));
  }

  private take = (text: string): void => {
    if (this.queue.isOver) return;
    const { answer, refusal, queue } = this;
    if (refusal) {
      if (!refusal.add(text)) this.stop(refusal.toError(this.wire.url));
      return;
    }
    try {
      answer.feed(text);
    } catch (cause) {
      this.stop(cause);
      return;
    }
    if (answer.isOver) this.linger();
    else if (queue.size > maxWaiting) this.pace.hold();
    queue.deliver();
  };

  private onBodyEnd = (rest: string): void => {
    if (this.queue.isOver) return;
    if (this.refusal) {
      this.stop(this.refusal.toError(this.wire.url));
      return;
    }
    try {
      this.answer.feed(rest);
      this.answer.end();
      this.end();
    } catch (cause) {
      this.fail(cause);
    }
  };

  /** The answer is whole, but not its body: a connection that is cut cannot be used again. */
  private linger(): void {
    this.end();
    if (this.phase === "drained") return;
    if (this.answer.isCut) {
      this.control?.abort(new Error("Nothing more is wanted of this answer."));
      return;
    }
    this.lingering = setTimeout(() => this.control?.abort(new Error("The body has no end.")), lingerMs);
    this.lingering.unref();
  }

  /** Fails, and reads no further. */
  private stop = (cause: unknown): void => {
    this.fail(cause);
    if (this.phase !== "drained") this.control?.abort(new Error("Nothing more is wanted of this answer."));
  };

  private fail(cause: unknown): void {
    if (this.queue.isOver) return;
    const { signal } = this.turn;
    this.end({ cause: signal.aborted ? signal.reason : toProviderError(cause, this.wire.endpoint) });
  }

  private onAbort = (): void => this.stop(this.turn.signal.reason);

  /** Nothing that comes from now on counts. */
  private end(failure?: { cause: unknown }): void {
    this.turn.signal.removeEventListener("abort", this.onAbort);
    this.queue.end(failure);
  }
}

/** Chunks that wait for the reader; then the socket is not read any more. */
const maxWaiting = 1_000;
/** How long a server may take to close an answer that is over. */
const lingerMs = 1_000;
