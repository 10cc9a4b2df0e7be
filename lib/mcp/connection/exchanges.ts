import type { JSONRPCMessage, TransportSendOptions } from "@modelcontextprotocol/client";
import { countParts } from "@/lib/protocol/count-parts";
import type { McpRawMessage } from "@/lib/protocol/mcp-offers";

export type OnMessage = (raw: McpRawMessage) => void;

/** The longest message that is shown, in characters. */
const maxChars = 256 * 1024;
const maxParts = 50_000;
const maxDepth = 200;

/** The requests of calls that have not been answered. */
export class Exchanges {
  /** The observer of each request, by the id of the request. */
  private readonly waiting = new Map<unknown, OnMessage | undefined>();

  /** `watcherOf` and `onCut` take the progress token of a call. */
  constructor(
    private readonly watcherOf: (token: string) => OnMessage | undefined,
    private readonly onCut: (token: string) => void,
  ) {}

  /**
   * The options to send the message with. Over HTTP each answer has its own stream: when the stream ends without the
   * answer, none will come, but the SDK keeps the request waiting.
   */
  sent(message: JSONRPCMessage, options?: TransportSendOptions): TransportSendOptions | undefined {
    if (!("method" in message)) return options;
    if (message.method === "notifications/cancelled") this.waiting.delete(message.params?.requestId);
    const token = message.params?._meta?.progressToken;
    if (!("id" in message) || typeof token !== "string") return options;
    const { id } = message;
    const onMessage = this.watcherOf(token);
    this.waiting.set(id, onMessage);
    onMessage?.({ direction: "sent", message: shown(message) });
    // Over HTTP a cancelled request is not followed by a message: its stream is closed.
    options?.requestSignal?.addEventListener("abort", () => this.waiting.delete(id), { once: true });
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (this.waiting.delete(id)) this.onCut(token);
    };
    return { ...options, onRequestStreamEnd };
  }

  /** The message could not be sent, so no answer will come. */
  failed(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) this.waiting.delete(message.id);
  }

  received(message: JSONRPCMessage): void {
    if ("method" in message) return;
    this.waiting.get(message.id)?.({ direction: "received", message: shown(message) });
    this.waiting.delete(message.id);
  }
}

function shown(message: JSONRPCMessage): unknown {
  if (countParts(message, maxDepth, maxParts) === undefined) return null;
  return JSON.stringify(message).length > maxChars ? null : message;
}
