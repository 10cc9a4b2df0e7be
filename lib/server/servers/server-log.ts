import { setTimeout as wait } from "node:timers/promises";
import type { McpLogEvent } from "@/lib/protocol/mcp-offers";
import type { BaseDeps } from "@/lib/server/base-deps";
import { streamEvents, wantsEvents } from "@/lib/server/http/event-stream";
import { findServer } from "./servers";

/** As often as lines are sent on: many at once rather than each by itself. */
const pieceMs = 100;

/** The log of a server, newest last; as events it goes on with what is written (`lines`), until the reader goes. */
export function readLog(deps: Pick<BaseDeps, "pool">, server: string, request: Request) {
  const { name } = findServer(deps, server);
  if (!wantsEvents(request)) return { items: deps.pool.logs(name), nextCursor: null };
  let mark = request.headers.get("last-event-id") ?? undefined;
  return streamEvents(request.signal, async (to) => {
    while (!to.signal.aborted) {
      // A reader that is slow gets what is still kept later, and how much is not.
      if (to.hasRoom) {
        const piece = deps.pool.logAfter(name, mark);
        if (!piece) return; // the server has been removed
        const event: McpLogEvent = { lines: piece.lines, missed: piece.missed };
        if (mark === undefined || piece.lines.length > 0) to.tell("lines", event, piece.mark);
        mark = piece.mark;
      }
      await wait(pieceMs, undefined, { signal: to.signal, ref: false }).catch(() => {});
    }
  });
}
