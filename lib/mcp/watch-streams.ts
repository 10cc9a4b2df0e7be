import type { JSONRPCMessage, TransportSendOptions } from "@modelcontextprotocol/client";

/**
 * Over HTTP an answer has a stream of its own. When that ends without the answer, none will come; the SDK leaves such a
 * request waiting. `onCut` is given the progress token of the request.
 */
export function watchStreams(onCut: (token: string) => void): {
  sent(message: JSONRPCMessage, options?: TransportSendOptions): TransportSendOptions | undefined;
  received(message: JSONRPCMessage): void;
} {
  const waiting = new Map<unknown, string>();
  return {
    sent: (message, options) => {
      if (!("method" in message)) return options;
      if (message.method === "notifications/cancelled") waiting.delete(message.params?.requestId);
      const token = message.params?._meta?.progressToken;
      if (!("id" in message) || typeof token !== "string") return options;
      const { id } = message;
      waiting.set(id, token);
      const onRequestStreamEnd = () => {
        options?.onRequestStreamEnd?.();
        if (waiting.delete(id)) onCut(token);
      };
      return { ...options, onRequestStreamEnd };
    },
    received: (message) => {
      if (!("method" in message)) waiting.delete(message.id);
    },
  };
}
