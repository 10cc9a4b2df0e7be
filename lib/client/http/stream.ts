import type { ConversationChoice } from "@/lib/protocol/choice";
import type { Chunk } from "@/lib/protocol/chunk";
import type { Effort } from "@/lib/protocol/effort";
import type { RunStatus } from "@/lib/protocol/http";
import type { RunEvent, StreamEvent } from "@/lib/protocol/sse";
import { decodeEvents } from "./decode-events";
import { ApiError, isPassing, readFailure } from "./http";

/** Receives a run while it is followed: each chunk once and in order. */
export interface RunReader {
  /** Once, when the run is known. */
  onRun(run: RunEvent): void;
  onChunk(chunk: Chunk, seq: number): void;
  /** Everything so far is void; the whole log follows. */
  onReset(): void;
  /** `next`: the run that has begun with the first queued message. */
  onEnd(status: RunStatus, next?: string): void;
  /** Whether the connection is open, or is being opened again. */
  onLine?(line: "open" | "reopening"): void;
}

/** Body of `POST /api/chat`. */
export interface ChatRequest extends ConversationChoice {
  conversationId?: string;
  /** Of a new conversation. */
  projectId?: string;
  /** Of a new conversation: nothing of it is kept. */
  temporary?: true;
  parentId?: string | null;
  message?: { text: string; attachments?: { id: string }[] };
  regenerate?: string;
  /** With `regenerate`: the call that runs again; what came before it is kept. */
  fromCall?: string;
  clientMessageId?: string;
  agent?: string;
  /** What the agent begins with. */
  state?: Readonly<Record<string, string>>;
  options?: { effort?: Effort; step?: true; plan?: true; recordWire?: true };
}

/** A message to send, or a run to read after a number of its log. */
export type RunSource = { send: ChatRequest } | { runId: string; after?: number };

export interface StreamDeps {
  fetch: typeof fetch;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Between pieces that come faster than a page is drawn. */
  rest?(): Promise<void>;
}

/** The connection counts as dead after this long without a byte; the server sends a heartbeat within 15 s. */
const silenceMs = 45_000;
const maxFailures = 10;
const maxSendFailures = 3;

/**
 * Follows a run to its end, over as many connections as it takes: each continues after the last number that was seen.
 * Sending is repeated with the same `clientMessageId`, so that it starts nothing twice.
 * Aborting closes the reader; the run continues. Throws `ApiError` when the server refuses or the connection stays dead.
 */
export async function followRun(
  source: RunSource,
  reader: RunReader,
  signal: AbortSignal,
  deps: Partial<StreamDeps> = {},
): Promise<void> {
  const streams: StreamDeps = {
    ...{ fetch: (...args) => fetch(...args), wait: pause },
    // Whoever brings the bytes in another way says how fast.
    ...(!deps.fetch && { rest: frameOfPieces }),
    ...deps,
  };
  const cursor = "runId" in source ? new Cursor(reader, source.after, source.runId) : new Cursor(reader);
  let failures = 0;
  while (!signal.aborted) {
    const before = cursor.seen;
    let refused: ApiError | undefined;
    try {
      await readOnce(source, cursor, signal, streams);
      if (cursor.ended) return;
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof ApiError) refused = cause;
      if (refused && !isPassing(refused)) throw refused;
    }
    failures = cursor.seen > before ? 1 : failures + 1;
    if (failures > (cursor.runId === undefined ? maxSendFailures : maxFailures))
      throw refused ?? new ApiError("offline", "The connection to Meguri was lost.", 0);
    reader.onLine?.("reopening");
    await streams.wait(Math.min(8_000, 250 * 2 ** (failures - 1)), signal);
  }
}

async function readOnce(
  source: RunSource,
  cursor: Cursor,
  signal: AbortSignal,
  deps: StreamDeps,
): Promise<void> {
  const line = new AbortController();
  const close = () => line.abort();
  signal.addEventListener("abort", close, { once: true });
  let timer = setTimeout(close, silenceMs);
  try {
    const response = await open(source, cursor, line.signal, deps);
    if (!response.body) throw new TypeError("The answer has no body.");
    const touch = () => {
      clearTimeout(timer);
      timer = setTimeout(close, silenceMs);
    };
    const alive = touching(response.body, touch, deps.rest);
    for await (const event of decodeEvents(alive)) {
      cursor.take(event);
      if (cursor.ended) break;
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", close);
    line.abort();
  }
}

async function open(
  source: RunSource,
  cursor: Cursor,
  signal: AbortSignal,
  deps: StreamDeps,
): Promise<Response> {
  const accept = { Accept: "text/event-stream" };
  const response =
    cursor.runId === undefined && "send" in source
      ? await deps.fetch("/api/chat", {
          method: "POST",
          headers: { ...accept, "Content-Type": "application/json" },
          body: JSON.stringify(source.send),
          signal,
        })
      : await deps.fetch(`/api/runs/${encodeURIComponent(cursor.runId ?? "")}/stream`, {
          headers: { ...accept, ...(cursor.seq > 0 && { "Last-Event-ID": String(cursor.seq) }) },
          cache: "no-store",
          signal,
        });
  if (!response.ok) throw await readFailure(response);
  return response;
}

/** About a frame, ms. */
const restMs = 16;
/** So many pieces one right after the other are no coincidence. */
const quickPieces = 4;

/**
 * What comes over the network faster than a page is drawn is read a frame's worth at a time: a piece costs a page more than what
 * is in it. Meanwhile the browser keeps what comes, and makes the server wait where that is much.
 */
const frameOfPieces = () => new Promise<void>((resolve) => setTimeout(resolve, restMs));

/** The bytes of a body; `touch` hears of each piece. With `rest` pieces that come quickly are waited for together. */
export async function* touching(
  body: ReadableStream<Uint8Array>,
  touch: () => void,
  rest?: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let quick = 0;
  try {
    for (;;) {
      const askedAt = performance.now();
      const { done, value } = await reader.read();
      if (done) return;
      quick = performance.now() - askedAt < restMs ? quick + 1 : 0;
      touch();
      yield value;
      if (rest && quick >= quickPieces) await rest();
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The position of a reader in the log. */
class Cursor {
  /** Events that were new, over all connections. */
  seen = 0;
  ended = false;
  private known = false;

  constructor(
    private readonly reader: RunReader,
    public seq = 0,
    public runId?: string,
  ) {}

  take(event: StreamEvent): void {
    switch (event.event) {
      case "run":
        this.runId = event.data.runId;
        this.reader.onLine?.("open");
        if (!this.known) this.reader.onRun(event.data);
        this.known = true;
        break;
      case "chunk":
      case "result":
        if (event.id <= this.seq) break;
        if ((event.data.from ?? event.id) > this.seq + 1) throw new TypeError("The stream has a gap.");
        this.seq = event.id;
        this.seen++;
        this.reader.onChunk(event.data, event.id);
        break;
      case "reset":
        this.seq = 0;
        this.reader.onReset();
        break;
      case "end":
        this.ended = true;
        this.reader.onEnd(event.data.status, event.data.next);
    }
  }
}

/** Waits, but no longer than until the signal fires or the network comes back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      globalThis.removeEventListener?.("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    globalThis.addEventListener?.("online", done, { once: true });
  });
}
