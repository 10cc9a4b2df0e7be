import type { Exchange } from "@/lib/mcp/gateway/answer-client";
import type { RequestId } from "@/lib/mcp/gateway/offer";

/** The requests of clients that are being answered in this process, by session. */
export class Exchanges {
  private readonly open = new Map<string, Set<Exchange>>();
  private readonly openStreams = new Set<object>();
  /** Calls of tools by how they ended; `refused`: with an error of JSON-RPC. */
  readonly calls = { ok: 0, error: 0, refused: 0 };

  /** Those on which clients are told what is new. */
  get streams(): number {
    return this.openStreams.size;
  }

  /** Until the returned function is called. */
  addStream(): () => void {
    const stream = {};
    this.openStreams.add(stream);
    return () => this.openStreams.delete(stream);
  }

  /** Requests, of all sessions. */
  get count(): number {
    return this.open.values().reduce((sum, { size }) => sum + size, 0);
  }

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
