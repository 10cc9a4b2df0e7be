import type { Dispatcher } from "undici";
import { type BodyWatch, compressedFault } from "./limit-body";

export type SentBody = string | Uint8Array | null;

export interface LeanOptions {
  watch?: BodyWatch;
  /** Throws, and nothing is sent. */
  beforeSend?: (body: SentBody) => void;
  /** An answer that came whole, in one read of the socket, as its reader reads it with less work; undefined to leave it as it is. */
  readWhole?: ReadWhole;
}

export type ReadWhole = (answer: {
  type: string;
  bytes: Uint8Array;
  /** What was sent. */
  asked: SentBody;
}) => { type: string; body: string } | undefined;

type RawHeaders = Dispatcher.ResponseData["headers"];

function toPairs(raw: RawHeaders): [string, string][] {
  const pairs: [string, string][] = [];
  for (const name in raw) {
    if (hopByHop.has(name)) continue;
    const value = raw[name];
    if (Array.isArray(value)) for (const one of value) pairs.push([name, one]);
    else if (value !== undefined) pairs.push([name, value]);
  }
  return pairs;
}

/** About the connection, not the answer; each header that is kept is copied three times inside the SDK. */
const hopByHop = new Set(["connection", "keep-alive", "transfer-encoding"]);
const withoutBody = new Set([101, 204, 205, 304]);
/** Chunks that wait for the reader; with more of them the socket is paused. */
const highWaterMark = 4;

/** A long body that is watched is read in portions of this size, with a pause for others after each: about 25 MB/s. */
const longBytes = 1024 * 1024;
const portionBytes = 256 * 1024;
const restMs = 10;

/** What is read at once: a read of a socket gives as much. */
const maxWhole = 65_536;
/** Of an answer that is told in another form. */
const replaced = new Set(["content-type", "content-length"]);

interface Begun {
  control: Dispatcher.DispatchController;
  type: string;
  status: number;
  raw: RawHeaders;
}

/** One request and its answer. */
export class LeanExchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<Response>;
  private readonly answer = Promise.withResolvers<Response>();
  private control: Dispatcher.DispatchController | undefined;
  private body: ReadableStreamDefaultController<Uint8Array> | undefined;
  private look: ((piece: Uint8Array) => void) | undefined;
  private pieces: Buffer[] = [];
  private isOver = false;
  private bytes = 0;
  private rested = longBytes;
  private isPaused = false;
  /** The answer has begun, and nobody was told: all of it may be there already. */
  private begun: Begun | undefined;

  constructor(
    private readonly asked: SentBody,
    private readonly signal: AbortSignal | undefined,
    private readonly options: LeanOptions,
  ) {
    this.response = this.answer.promise;
    signal?.addEventListener("abort", this.onAbort);
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.control = control;
    if (this.isOver) {
      control.abort(new Error("The request was given up before it was sent."));
      return;
    }
    try {
      this.options.beforeSend?.(this.asked);
    } catch (cause) {
      this.fail(cause);
      control.abort(cause as Error);
    }
  }

  onResponseStart(control: Dispatcher.DispatchController, status: number, raw: RawHeaders): void {
    if (status < 200) return;
    const hasBody = !withoutBody.has(status);
    const encoding = String(raw["content-encoding"] ?? "").toLowerCase();
    if (hasBody && encoding !== "" && encoding !== "identity") {
      const fault = compressedFault(encoding);
      this.fail(fault);
      control.abort(fault);
      return;
    }
    if (!hasBody) {
      this.answer.resolve(new Response(null, { status, headers: toPairs(raw) }));
      return;
    }
    const type = String(raw["content-type"] ?? "");
    this.look = this.options.watch?.(type);
    this.begun = { control, type, status, raw };
    queueMicrotask(this.begin);
  }

  onResponseData(_control: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.pieces.push(piece) === 1) queueMicrotask(this.flush);
  }

  onResponseEnd(): void {
    if (this.begun && this.tellWhole(this.begun)) return;
    this.flush();
    if (!this.isOver) this.body?.close();
    this.end();
  }

  onResponseError(_control: Dispatcher.DispatchController, cause: Error): void {
    this.flush();
    this.fail(cause);
  }

  fail(cause: unknown): void {
    const { signal, body } = this;
    if (this.isOver) return;
    this.end();
    const failure = (what: string) => (signal?.aborted ? signal.reason : new TypeError(what, { cause }));
    this.answer.reject(failure("fetch failed"));
    body?.error(failure("terminated"));
  }

  private begin = (): void => {
    if (!this.begun || this.isOver) return;
    const { control, status, raw } = this.begun;
    this.begun = undefined;
    this.answer.resolve(new Response(this.open(control), { status, headers: toPairs(raw) }));
  };

  /** False where it is to be read as a stream. */
  private tellWhole({ type, status, raw }: Begun): boolean {
    const { readWhole } = this.options;
    if (!readWhole) return false;
    const bytes = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
    if (!bytes || bytes.length > maxWhole) return false;
    const whole = readWhole({ type, bytes, asked: this.asked });
    if (!whole) return false;
    try {
      this.look?.(bytes);
    } catch {
      return false; // The stream fails with it.
    }
    this.begun = undefined;
    this.pieces = [];
    this.end();
    const headers = [...toPairs(raw).filter(([name]) => !replaced.has(name)), ["content-type", whole.type]];
    this.answer.resolve(new Response(whole.body, { status, headers: headers as [string, string][] }));
    return true;
  }

  private open(control: Dispatcher.DispatchController): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (body) => {
          this.body = body;
        },
        pull: () => {
          if (!this.isPaused) control.resume();
        },
        cancel: () => {
          this.end();
          control.abort(new Error("The reader of the body has gone."));
        },
      },
      { highWaterMark },
    );
  }

  private flush = (): void => {
    this.begin();
    const { pieces, body } = this;
    const [first] = pieces;
    this.pieces = [];
    if (!first || !body || this.isOver) return;
    const piece = pieces.length === 1 ? first : Buffer.concat(pieces);
    try {
      this.look?.(piece);
    } catch (cause) {
      this.end();
      body.error(cause);
      this.control?.abort(cause as Error);
      return;
    }
    body.enqueue(piece);
    this.bytes += piece.length;
    if (this.options.watch && this.bytes - this.rested > portionBytes) this.rest();
    else if ((body.desiredSize ?? 0) <= 0) this.control?.pause();
  };

  private rest(): void {
    this.rested = this.bytes;
    this.isPaused = true;
    this.control?.pause();
    setTimeout(() => {
      this.isPaused = false;
      if (!this.isOver && (this.body?.desiredSize ?? 0) > 0) this.control?.resume();
    }, restMs);
  }

  private onAbort = (): void => {
    this.fail(this.signal?.reason);
    this.control?.abort(this.signal?.reason);
  };

  /** Ignores all that arrives from now on. */
  private end(): void {
    this.isOver = true;
    this.signal?.removeEventListener("abort", this.onAbort);
  }
}
