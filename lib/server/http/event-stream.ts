import { heartbeat } from "@/lib/protocol/sse";

const heartbeatMs = 15_000;

export interface EventWriter {
  /** Fires when the reader has gone. */
  signal: AbortSignal;
  /** What was told has been taken, so that there is room for more. */
  readonly hasRoom: boolean;
  /** `id` comes back as `Last-Event-ID` when the reader opens the stream again. */
  tell(event: string, data: unknown, id?: string): void;
}

/** An answer of events (text/event-stream) that ends with `work`, with a heartbeat every 15 s. `work` must not throw. */
export function streamEvents(signal: AbortSignal, work: (to: EventWriter) => Promise<void>): Response {
  const encoder = new TextEncoder();
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (text: string) => {
        if (!both.aborted) controller.enqueue(encoder.encode(text));
      };
      write(heartbeat); // Next.js holds the headers back until there is a first byte.
      const timer = setInterval(() => write(heartbeat), heartbeatMs);
      const writer: EventWriter = {
        signal: both,
        get hasRoom() {
          return (controller.desiredSize ?? 0) > 0;
        },
        tell: (event, data, id) =>
          write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      };
      // With the work, and not with the signal: that may have fired before anybody listened.
      void work(writer).finally(() => {
        clearInterval(timer);
        if (!both.aborted) controller.close();
        end.abort();
      });
    },
    cancel: () => end.abort(),
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
    },
  });
}

/** Whether the answer is wanted as events. */
export const wantsEvents = (request: Request): boolean =>
  request.headers.get("accept")?.includes("text/event-stream") ?? false;
