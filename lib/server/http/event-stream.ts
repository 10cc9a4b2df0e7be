import { formatEvent, heartbeat } from "@/lib/protocol/sse";

const heartbeatMs = 15_000;

export const eventHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Without no-transform Next.js compresses the stream and delays it.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/**
 * An answer of events (text/event-stream). Pull-based: each piece is asked for when the reader has taken the one before,
 * so a slow reader holds nothing in memory. `onCancel` runs when the reader leaves, `pieces` may still be waiting then.
 */
function eventResponse(pieces: AsyncGenerator<string, void>, onCancel: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      // Next.js holds the headers back until there is a first byte.
      start: (controller) => controller.enqueue(encoder.encode(heartbeat)),
      async pull(controller) {
        const next = await pieces.next().catch(() => ({ done: true, value: undefined }) as const);
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      cancel() {
        onCancel();
        void pieces.return();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: eventHeaders });
}

/** True when something has changed or the signal fires, false when it is time for a heartbeat. */
async function changeOrHeartbeat(change: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>();
  const wake = () => timer.resolve(true);
  const handle = setTimeout(() => timer.resolve(false), heartbeatMs);
  signal.addEventListener("abort", wake, { once: true });
  void change.then(wake);
  try {
    return await timer.promise;
  } finally {
    clearTimeout(handle);
    signal.removeEventListener("abort", wake);
  }
}

export interface EventWriter {
  /** Fires when the reader has gone, and when the work has ended. */
  signal: AbortSignal;
  /** Everything told so far has been taken. */
  readonly hasRoom: boolean;
  /** `id` comes back as `Last-Event-ID` when the reader opens the stream again. */
  tell(event: string, data: unknown, id?: string): void;
}

/** An answer of the events that `work` tells; it ends with `work`, which must not throw. */
export function streamEvents(signal: AbortSignal, work: (to: EventWriter) => Promise<void>): Response {
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  const waiting: string[] = [];
  let change = Promise.withResolvers<void>();
  const tell: EventWriter["tell"] = (event, data, id) => {
    if (both.aborted) return;
    waiting.push(formatEvent(event, data, id));
    change.resolve();
  };
  async function* pieces() {
    for (;;) {
      change = Promise.withResolvers();
      if (waiting.length > 0) yield waiting.splice(0).join("");
      else if (both.aborted) return;
      else if (!(await changeOrHeartbeat(change.promise, both))) yield heartbeat;
    }
  }
  const writer: EventWriter = {
    signal: both,
    get hasRoom() {
      return waiting.length === 0;
    },
    tell,
  };
  void work(writer).finally(() => end.abort());
  return eventResponse(pieces(), () => end.abort());
}

/** Whether the answer is wanted as events. */
export const wantsEvents = (request: Request): boolean =>
  request.headers.get("accept")?.includes("text/event-stream") ?? false;
