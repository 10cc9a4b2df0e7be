import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { AnswerTransport, isOneRequest } from "./answer-transport";
import type { Offer, OfferPart, RequestId } from "./offer";
import { openServer } from "./open-server";

/** One POST of a client that is being answered. Nothing of its session is kept here: whoever has that answers any of its requests. */
export interface Exchange {
  /** False where it has no such request that is under way. */
  cancel(requestId: RequestId): boolean;
  /** Ends its stream; what is under way is cancelled. */
  close(): void;
}

/** Requests whose answer may take long are answered by events, unless it comes soon; all others by JSON. */
const slow = new Set<unknown>([
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
  const methods = new Set(all.map((message) => message?.method));
  const isQuick = !methods.values().some((method) => slow.has(method));
  const requests = all.filter((message) => message?.method !== undefined && message.id !== undefined);
  const underWay = new Set(requests.map((message) => message?.id as RequestId));
  let onDone = () => {};
  const settle = (requestId: RequestId) => {
    if (underWay.delete(requestId) && underWay.size === 0) onDone();
  };
  const settleAll = () => {
    for (const requestId of underWay) settle(requestId);
  };
  const transport = new AnswerTransport(settle);
  await connect(transport, offer, methods, request.signal);
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
    const post = { request, messages };
    const answer = await (!isQuick && isOneRequest(post)
      ? transport.answerSoon(post)
      : transport.answer(post, isQuick));
    isAnswered = isQuick || !answer.ok;
    return answer;
  } finally {
    if (isAnswered) settleAll();
  }
}

/** The stream of what a client is told without having asked; it ends when the signal fires. */
export async function openNotifications(
  request: Request,
  offer: Offer,
  signal: AbortSignal,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport();
  // Its handlers may be undefined at first, which the SDK's own type does not allow.
  const server = await connect(transport as Transport, offer, new Set(), request.signal);
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

async function connect(
  transport: Transport,
  offer: Offer,
  methods: ReadonlySet<unknown>,
  gone: AbortSignal,
): Promise<Server> {
  const server = openServer(offer, methods, {
    gone,
    send: (message, about) => transport.send(message, about),
  });
  await server.connect(transport);
  return server;
}
