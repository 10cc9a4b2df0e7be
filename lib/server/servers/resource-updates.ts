import { once } from "node:events";
import type { BaseDeps } from "@/lib/server/base-deps";
import { streamEvents } from "@/lib/server/http/event-stream";

export interface WatchedResource {
  server: string;
  uri: string;
}

/**
 * An event stream of changes: `updated` with `{server, uri}` for each, and once `unwatched` with a `message` for a
 * resource of whose changes nobody tells. The servers are subscribed to as long as somebody reads.
 */
export function streamUpdates(
  { pool }: Pick<BaseDeps, "pool">,
  resources: readonly WatchedResource[],
  signal: AbortSignal,
): Response {
  return streamEvents(signal, async ({ tell, signal: gone }) => {
    for (const { server, uri } of resources)
      pool.library
        .watchResource(server, uri, gone, () => tell("updated", { server, uri }))
        .catch((cause: Error) => tell("unwatched", { server, uri, message: cause.message }));
    if (!gone.aborted) await once(gone, "abort");
  });
}
