import { heartbeat } from "@/lib/protocol/sse";
import type { Deps } from "./deps";

const heartbeatMs = 15_000;

export interface WatchedResource {
  server: string;
  uri: string;
}

/**
 * An event stream of changes: `updated` with `{server, uri}` for each, and once `unwatched` with a `message` for a
 * resource of whose changes nobody tells. The servers are subscribed to as long as somebody reads.
 */
export function streamUpdates(
  { pool }: Pick<Deps, "pool">,
  resources: readonly WatchedResource[],
  signal: AbortSignal,
): Response {
  const encoder = new TextEncoder();
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (text: string) => {
        if (!both.aborted) controller.enqueue(encoder.encode(text));
      };
      const tell = (event: string, data: object) =>
        write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      write(heartbeat); // Next.js holds the headers back until there is a first byte.
      const timer = setInterval(() => write(heartbeat), heartbeatMs);
      both.addEventListener("abort", () => clearInterval(timer), { once: true });
      for (const { server, uri } of resources)
        pool.library
          .watchResource(server, uri, both, () => tell("updated", { server, uri }))
          .catch((cause: Error) => tell("unwatched", { server, uri, message: cause.message }));
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
