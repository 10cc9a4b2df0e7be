import type { Chunk } from "./chunk";
import type { ForkOrigin } from "./fork";
import type { RunStatus } from "./http";
import type { Rerun } from "./rerun";

/** First event of every stream of a run, resumed ones included. `seq` is the number after which the stream continues. */
export interface RunEvent {
  runId: string;
  conversationId: string;
  /** Of the user message that the run answers. */
  messageId: string;
  continues?: string;
  /** It continues from the messages before a call, which it runs again. */
  rerun?: Rerun;
  /** It continues from messages that another answer begins with too. */
  forkedFrom?: Pick<ForkOrigin, "runId" | "seq">;
  seq: number;
}

/** One event of `GET /api/runs/:id/stream` and `POST /api/chat`, decoded. */
export type StreamEvent =
  | { event: "run"; data: RunEvent }
  /** With `from`, pieces of text from that number to `id` as one, for a reader that had fallen behind. */
  | { event: "chunk" | "result"; id: number; data: Chunk & { from?: number } }
  /** The reader's last id is beyond the end of the log; the whole log follows. */
  | { event: "reset" }
  /** `next`: the run that has begun with the first queued message. */
  | { event: "end"; data: { status: RunStatus; next?: string } };

/** Written once at the start and in at most 15 s of silence; proxies and Next.js hold headers back until the first byte. */
export const heartbeat = ":\n\n";

/** One event in the text/event-stream format; only chunks carry an `id`, which is their number in the run log. */
export function encodeEvent(event: StreamEvent): string {
  return formatEvent(
    event.event,
    "data" in event ? event.data : {},
    "id" in event ? String(event.id) : undefined,
  );
}

/** An event of any stream of ours, in the text/event-stream format. */
export function formatEvent(event: string, data: unknown, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
