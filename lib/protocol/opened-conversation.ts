import type { Chunk } from "./chunk";
import type { ConversationDetail } from "./http";
import type { RunEvent } from "./sse";

/** Turns that the server draws: as many as fill a window. */
export const drawnTurns = 4;

/** A conversation as its page brings it along: what `GET /api/conversations/:id` answers, and what runs in it. */
export interface OpenedConversation {
  detail: ConversationDetail;
  live: OpenedRun | null;
  /** When the server read it, epoch ms. */
  readAt: number;
}

/** A run that goes on, with everything that it had brought until then. */
export interface OpenedRun {
  run: RunEvent;
  chunks: readonly Chunk[];
  /** The number of the last of them; pieces of text are joined, so there are fewer. */
  seq: number;
}
