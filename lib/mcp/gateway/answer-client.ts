import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Offer, OfferPart, RequestId } from "./offer";
import { openServer } from "./open-server";

/** One POST of a client that is being answered. Nothing of its session is kept here: whoever has that answers any of its requests. */
export interface Exchange {
  /** False where it has no such request that is under way. */
  cancel(requestId: RequestId): boolean;
  /** Ends its stream; what is under way is cancelled. */
  close(): void;
}

/** Requests whose answer may take long are answered by events, all others by JSON. */
const slow = new Set([
  ...["tools/call", "prompts/get", "resources/read", "resources/subscribe", "completion/complete"],
]);

/**
 * Answers the messages of one POST, as `JSON.parse` gives them; what is no message of MCP is refused by the SDK. Where there are
 * requests among them `onOpen` is given the exchange before anything is called, and returns what is called when none of them is
 * under way any more.
 */
export async function answerMessages(
  request: Request,
  messages: unknown,
  offer: Offer,
  onOpen: (exchange: Exchange) => () => void,
): Promise<Response> {
  const all = [messages].flat() as (Record<string, unknown> | null)[];
  const isQuick = !all.some((message) => slow.has(String(message?.method)));
  const { transport } = await open(offer, isQuick, request.signal);
  const requests = all.filter((message) => message?.method !== undefined && message.id !== undefined);
  const underWay = new Set(requests.map((message) => message?.id as RequestId));
  let onDone = () => {};
  const settle = (requestId: RequestId) => {
    if (underWay.delete(requestId) && underWay.size === 0) onDone();
  };
  const settleAll = () => {
    for (const requestId of underWay) settle(requestId);
  };
  onSent(transport, settle);
  const exchange: Exchange = {
    cancel(requestId) {
      if (!underWay.has(requestId)) return false;
      transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
      settle(requestId);
      // Nothing is answered to what was cancelled: the stream would stay open for ever.
      if (underWay.size === 0) setImmediate(() => void transport.close());
      return true;
    },
    close: () => {
      settleAll();
      void transport.close();
    },
  };
  if (underWay.size > 0) onDone = onOpen(exchange);
  let isAnswered = true;
  try {
    const answer = await transport.handleRequest(request, { parsedBody: messages });
    isAnswered = isQuick || !answer.ok;
    return answer;
  } finally {
    if (isAnswered) settleAll();
  }
}

/** Told of each request that has been answered. */
function onSent(
  transport: WebStandardStreamableHTTPServerTransport,
  settle: (requestId: RequestId) => void,
): void {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    try {
      await send(message, options);
    } finally {
      // Also where nobody is there any more to whom it could be sent.
      if (!("method" in message) && message.id !== undefined) settle(message.id);
    }
  };
}

/** The stream of what a client is told without having asked; it ends when the signal fires. */
export async function openNotifications(
  request: Request,
  offer: Offer,
  signal: AbortSignal,
): Promise<Response> {
  const { transport, server } = await open(offer, false, request.signal);
  signal.addEventListener("abort", () => void transport.close(), { once: true });
  const tell: Record<OfferPart, () => Promise<void>> = {
    tools: () => server.sendToolListChanged(),
    prompts: () => server.sendPromptListChanged(),
    resources: () => server.sendResourceListChanged(),
  };
  offer.onNews((news) => {
    const told = "changed" in news ? tell[news.changed]() : server.sendResourceUpdated({ uri: news.updated });
    void told.catch(() => {});
  }, signal);
  return transport.handleRequest(request);
}

async function open(offer: Offer, enableJsonResponse: boolean, gone: AbortSignal) {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
  const server = openServer(offer, { gone, send: (message, about) => transport.send(message, about) });
  // Its handlers may be undefined at first, which the SDK's own type does not allow.
  await server.connect(transport as Parameters<Server["connect"]>[0]);
  return { server, transport };
}
