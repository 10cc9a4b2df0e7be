import type { Exchange } from "@/lib/mcp/gateway/answer-client";
import type { RequestId } from "@/lib/mcp/gateway/offer";

/** The requests of clients that are being answered in this process, by session. */
export class Exchanges {
  private readonly open = new Map<string, Set<Exchange>>();

  /** Until the returned function is called. */
  add(sessionId: string, exchange: Exchange): () => void {
    const all = this.open.get(sessionId) ?? new Set();
    this.open.set(sessionId, all.add(exchange));
    return () => {
      all.delete(exchange);
      if (all.size === 0) this.open.delete(sessionId);
    };
  }

  /** False where nothing of this session is being answered under this id. */
  cancel(sessionId: string, requestId: RequestId): boolean {
    return [...(this.open.get(sessionId) ?? [])].some((exchange) => exchange.cancel(requestId));
  }

  close(sessionId: string): void {
    for (const exchange of this.open.get(sessionId) ?? []) exchange.close();
  }
}
