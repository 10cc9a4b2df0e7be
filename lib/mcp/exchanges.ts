import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { countParts } from "@/lib/protocol/count-parts";
import type { McpRawMessage } from "@/lib/protocol/mcp-offers";

export type OnMessage = (raw: McpRawMessage) => void;

/** Of one message, in characters. */
const maxChars = 256 * 1024;
const maxParts = 50_000;
const maxDepth = 200;
/** Calls whose answer is awaited; those that were given up never get one. */
const maxOpen = 100;

/** Which answer on the wire belongs to which call that somebody looks at. */
export class Exchanges {
  private readonly open = new Map<string | number, OnMessage>();

  /** `watcherOf`: by the progress token of a call. */
  constructor(private readonly watcherOf: (token: string) => OnMessage | undefined) {}

  sent(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    const token = message.params?._meta?.progressToken;
    const watcher = token === undefined ? undefined : this.watcherOf(String(token));
    if (!watcher) return;
    const [oldest] = this.open.keys();
    if (this.open.size >= maxOpen && oldest !== undefined) this.open.delete(oldest);
    this.open.set(message.id, watcher);
    watcher({ direction: "sent", message: shown(message) });
  }

  received(message: JSONRPCMessage): void {
    if ("method" in message || message.id === undefined) return;
    const watcher = this.open.get(message.id);
    if (!watcher) return;
    this.open.delete(message.id);
    watcher({ direction: "received", message: shown(message) });
  }
}

function shown(message: JSONRPCMessage): unknown {
  if (countParts(message, maxDepth, maxParts) === undefined) return null;
  return JSON.stringify(message).length > maxChars ? null : message;
}
