import { decodeMessages } from "./decode-events";
import { touching } from "./stream";

/** A run that has brought nothing for so long, ms, hears at least that the connection is alive. */
const tellAfterMs = 5_000;
const encoder = new TextEncoder();

/**
 * The streams of several runs over one connection: a browser opens six to a host, over all of its tabs, and what reads a run
 * keeps one. Who joins or comes back has it opened anew, and each run goes on where its reader is.
 */
export class JoinedStreams {
  private readonly readers = new Map<string, RunBody>();
  private line: AbortController | undefined;
  private isAsked = false;

  /** In place of `fetch` for who reads the stream of a run; all else goes its own way. */
  readonly fetch: typeof fetch = (input, init) => {
    const runId = /^\/api\/runs\/([^/]+)\/stream$/.exec(String(input))?.[1];
    if (runId === undefined) return fetch(input, init);
    const after = Number(new Headers(init?.headers).get("Last-Event-ID") ?? 0);
    const reader = new RunBody(after, () => this.leave(runId, reader));
    init?.signal?.addEventListener("abort", () => reader.fail(init.signal?.reason), { once: true });
    this.readers.get(runId)?.fail(new TypeError("Another reader reads this run."));
    this.readers.set(runId, reader);
    this.connectSoon();
    return reader.response;
  };

  private leave(runId: string, reader: RunBody): void {
    if (this.readers.get(runId) !== reader) return;
    this.readers.delete(runId);
    if (this.readers.size === 0) this.line?.abort();
  }

  /** Those that join at once share one connection from the start. */
  private connectSoon(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    setTimeout(() => {
      this.isAsked = false;
      void this.connect();
    });
  }

  private async connect(): Promise<void> {
    this.line?.abort();
    const [first] = this.readers;
    if (!first) return;
    const line = new AbortController();
    this.line = line;
    const readers = [...this.readers.values()];
    try {
      const response = await open([...this.readers], line.signal);
      if (!response.ok || !response.body) return refuse(readers, response);
      for (const reader of readers) reader.open();
      const alive = touching(response.body, () => {
        for (const reader of readers) reader.touch();
      });
      let of = first[0];
      for await (const { event = "", id, data } of decodeMessages(alive)) {
        if (event === "of") of = (JSON.parse(data) as { runId: string }).runId;
        else await this.readers.get(of)?.take(event, id, data);
      }
      throw new TypeError("The connection has ended.");
    } catch (cause) {
      // Another one has taken its place, and goes on with the same readers.
      if (this.line === line) for (const reader of readers) reader.fail(cause);
    }
  }
}

/** What one reader gets. */
class RunBody {
  readonly response: Promise<Response>;
  private readonly opened = Promise.withResolvers<Response>();
  private readonly stream: ReadableStream<Uint8Array>;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private room = Promise.withResolvers<void>();
  private toldAt = 0;

  /** `after`: the number of the last event that it has. */
  constructor(
    public after: number,
    private readonly onLeave: () => void,
  ) {
    this.response = this.opened.promise;
    this.stream = new ReadableStream({
      start: (controller) => {
        this.controller = controller;
      },
      pull: () => this.room.resolve(),
      cancel: () => this.leave(),
    });
  }

  open(): void {
    this.opened.resolve(new Response(this.stream));
    this.touch();
  }

  refuse(response: Response): void {
    this.opened.resolve(response);
    this.fail(new TypeError("The connection was refused."));
  }

  touch(): void {
    if (performance.now() - this.toldAt > tellAfterMs) this.write(":\n\n");
  }

  /** Resolves when the reader wants more: nothing is read for others meanwhile, so nothing piles up. */
  async take(event: string, id: string | undefined, data: string): Promise<void> {
    if (id !== undefined) this.after = Number(id);
    if (event === "reset") this.after = 0;
    this.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
    if (event === "end") this.end((controller) => controller.close());
    else if ((this.controller?.desiredSize ?? 1) <= 0) {
      this.room = Promise.withResolvers();
      await this.room.promise;
    }
  }

  fail(cause: unknown): void {
    this.opened.reject(cause);
    // Nobody may wait for it any more.
    this.opened.promise.catch(() => {});
    this.end((controller) => controller.error(cause));
  }

  leave(): void {
    this.end(() => {});
  }

  private write(text: string): void {
    this.toldAt = performance.now();
    this.controller?.enqueue(encoder.encode(text));
  }

  private end(how: (controller: ReadableStreamDefaultController<Uint8Array>) => void): void {
    const { controller } = this;
    this.controller = undefined;
    this.room.resolve();
    if (controller) how(controller);
    this.onLeave();
  }
}

function open(readers: readonly (readonly [string, RunBody])[], signal: AbortSignal): Promise<Response> {
  const [first = ["", { after: 0 }] as const, ...others] = readers;
  const [runId, { after }] = first;
  const more = others.map(([id, reader]) => `${encodeURIComponent(id)}:${reader.after}`).join(",");
  return fetch(`/api/runs/${encodeURIComponent(runId)}/stream${more && `?with=${more}`}`, {
    headers: { Accept: "text/event-stream", ...(after > 0 && { "Last-Event-ID": String(after) }) },
    cache: "no-store",
    signal,
  });
}

/** Each reader reads why by itself. */
function refuse(readers: readonly RunBody[], response: Response): void {
  for (const reader of readers) reader.refuse(response.clone());
}
