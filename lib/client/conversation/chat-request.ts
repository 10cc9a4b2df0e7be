import type { ChatRequest } from "@/lib/client/http/stream";
import type { Effort } from "@/lib/protocol/settings";

/** What is sent along with a message. */
export interface SendOptions {
  model: string | null;
  /** Null: all that are ready. */
  servers: readonly string[] | null;
  /** By server, whether models find its tools by search only; absent: as their entries say. */
  deferred?: Readonly<Record<string, boolean>>;
  /** How much the model thinks; null or absent: as is set for it. */
  effort?: Effort | null;
  /** The workflow agent that answers; null or absent: the model itself. */
  agent?: string | null;
}

/** What is asked, with where and how; what was not chosen is left to the server. */
export const toRequest = (
  body: ChatRequest,
  conversationId: string | null,
  { model, servers, deferred = {}, effort, agent }: SendOptions,
): ChatRequest => ({
  ...body,
  ...(conversationId && { conversationId }),
  ...(model && { model }),
  ...(servers && { servers }),
  ...(Object.keys(deferred).length > 0 && { deferred }),
  ...(effort && { options: { effort } }),
  ...(agent && { agent }),
});
