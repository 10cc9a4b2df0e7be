import { endOf } from "./ending-request";
import { eventHeaders } from "./event-stream";
import type { Packet } from "./packet";

/** What events are written to: a socket, or the body of a `Response`. */
export interface EventSink {
  /** False when it wants no more until `resume`. */
  write(packet: Packet): boolean;
  /** After a last packet, which need not fit. */
  end(last?: Packet): void;
  /** Cuts the reader off. */
  drop(): void;
}

/** The events of one reader. It writes when there is something, as long as the sink has room. */
export interface EventFeed {
  /** Called at most once; a feed that is not started holds nothing. */
  start(sink: EventSink): void;
  /** The sink has room again. */
  resume(): void;
  /** The reader has gone. */
  leave(): void;
}

/** Names the stream on the way in, and on the way out that it is taken; neither comes from outside nor leaves. */
const streamHeader = "x-meguri-stream";

/** By the name in `streamHeader`: who writes the feed. Set by `scripts/event-streams.mjs`, which stands before Next.js. */
const holder = globalThis as { [key: symbol]: Map<string, (feed: EventFeed) => void> | undefined };
const takers = () => holder[Symbol.for("meguri.streams")];

/**
 * An answer of events. The server that stands before Next.js writes them to the socket itself when it has offered to;
 * else (`next dev`, a test of the route alone) they are the body of the `Response`: the same bytes.
 */
export function feedResponse(
  request: Pick<Request, "headers" | "signal">,
  feed: EventFeed,
  more: Record<string, string>,
): Response {
  const name = request.headers.get(streamHeader) ?? "";
  const headers = { ...eventHeaders, ...more };
  const take = takers()?.get(name);
  if (!take) return new Response(toBody(feed, request.signal), { headers });
  const end = endOf(request);
  take(end ? endedBy(feed, end) : feed);
  return new Response(null, { headers: { ...headers, [streamHeader]: name } });
}

/** The same feed, until the signal fires. */
function endedBy(feed: EventFeed, signal: AbortSignal): EventFeed {
  let end = () => {};
  const forget = () => signal.removeEventListener("abort", end);
  return {
    start(sink) {
      end = () => {
        feed.leave();
        sink.end();
      };
      if (signal.aborted) return end();
      signal.addEventListener("abort", end, { once: true });
      feed.start({
        write: (packet) => sink.write(packet),
        end: (last) => {
          forget();
          sink.end(last);
        },
        drop: () => {
          forget();
          sink.drop();
        },
      });
    },
    resume: () => feed.resume(),
    leave() {
      forget();
      feed.leave();
    },
  };
}

type Body = ReadableStreamDefaultController<Uint8Array>;

/** Pull-based, without a queue of its own: what a reader has not asked for is not written. */
function toBody(feed: EventFeed, signal: AbortSignal): ReadableStream<Uint8Array> {
  let body: Body | undefined;
  const close = (how?: (body: Body) => void) => {
    signal.removeEventListener("abort", end);
    feed.leave();
    if (body) how?.(body);
    body = undefined;
  };
  const end = () => close((open) => open.close());
  const begin = (controller: Body) => {
    body = controller;
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    feed.start({
      write(packet) {
        controller.enqueue(packet.bytes);
        return false;
      },
      end: (last) =>
        close((open) => {
          if (last) open.enqueue(last.bytes);
          open.close();
        }),
      drop: () => close((open) => open.error(new Error("The reader has taken nothing for too long."))),
    });
  };
  return new ReadableStream(
    { pull: (controller) => (body ? feed.resume() : begin(controller)), cancel: () => close() },
    { highWaterMark: 0 },
  );
}
