import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  type JSONRPCMessage,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
} from "@modelcontextprotocol/sdk/types.js";
import {
  type CallFollower,
  type ElicitParams,
  errorCodes,
  GatewayError,
  type Offer,
  type OfferPart,
  type RequestId,
} from "./offer";

/** One POST of a client that is being answered. Nothing of its session is kept here: whoever has that answers any of its requests. */
export interface Exchange {
  /** False where it has no such request that is under way. */
  cancel(requestId: RequestId): boolean;
  /** Ends its stream; what is under way is cancelled. */
  close(): void;
}

/** Requests whose answer may take long are answered by events, all others by JSON. */
const slow = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);

/**
 * Answers the messages of one POST, as `JSON.parse` gives them; what is no message of MCP is refused by the SDK. `onOpen` is given
 * the exchange before anything is called, and returns what is called when no request of it is under way any more.
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
  onSent(transport, settle);
  onDone = onOpen({
    cancel(requestId) {
      if (!underWay.has(requestId)) return false;
      transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
      settle(requestId);
      // Nothing is answered to what was cancelled: the stream would stay open for ever.
      if (underWay.size === 0) setImmediate(() => void transport.close());
      return true;
    },
    close: () => {
      for (const requestId of underWay) settle(requestId);
      void transport.close();
    },
  });
  const answer = await transport.handleRequest(request, { parsedBody: messages });
  if (isQuick || !answer.ok) for (const requestId of underWay) settle(requestId);
  return answer;
}

/** Told of each request that has been answered. */
function onSent(
  transport: WebStandardStreamableHTTPServerTransport,
  settle: (requestId: RequestId) => void,
): void {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!("method" in message) && message.id !== undefined) settle(message.id);
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
  offer.onChange((part) => void tell[part]().catch(() => {}), signal);
  return transport.handleRequest(request);
}

async function open(offer: Offer, enableJsonResponse: boolean, gone: AbortSignal) {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
  const server = openServer(offer, { gone, send: (message, about) => transport.send(message, about) });
  // Its handlers may be undefined at first, which the SDK's own type does not allow.
  await server.connect(transport as Parameters<Server["connect"]>[0]);
  return { server, transport };
}

/** Nothing is checked with it; the SDK would make a compiler of schemas for each request. */
const jsonSchemaValidator = {
  getValidator: () => (value: unknown) => ({
    valid: true as const,
    data: value as never,
    errorMessage: undefined,
  }),
};

interface Line {
  gone: AbortSignal;
  /** Past the SDK's server, which would wait for the answer in this process. */
  send(message: JSONRPCMessage, about: { relatedRequestId: RequestId }): Promise<void>;
}

function openServer(offer: Offer, line: Line): Server {
  const server = new Server(
    { name: "meguri", title: "Meguri", version: offer.version },
    {
      capabilities: {
        ...{ tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } },
        completions: {},
      },
      ...(offer.instructions !== undefined && { instructions: offer.instructions }),
      jsonSchemaValidator,
    },
  );
  answerTools(server, offer, line);
  answerLibrary(server, offer);
  return server;
}

function answerTools(server: Server, offer: Offer, line: Line): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...offer.tools()] as never }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const follow: CallFollower = {
      ...{ signal: extra.signal, gone: line.gone },
      onProgress: reporter(extra._meta?.progressToken, (message) => extra.sendNotification(message)),
      elicit: (id, params) => elicit(line, extra.requestId, { id, params }),
    };
    const { name, arguments: args = {} } = params;
    const called = { name, args, requestId: extra.requestId };
    return (await told(() => offer.call(called, follow))) as CallToolResult;
  });
}

/** Answers of servers are passed on as they came; the SDK's types are those of what it would send itself. */
function answerLibrary(server: Server, offer: Offer): void {
  const handed = async (work: () => Promise<object>) => (await told(work)) as never;
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...offer.prompts()] as never }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: args = {} } }, { signal }) =>
    handed(() => offer.prompt(name, args, signal)),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [...offer.resources()] as never,
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...offer.templates()] as never,
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { signal }) =>
    handed(() => offer.resource(uri, signal)),
  );
  server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument, context } }, { signal }) => {
    const about =
      ref.type === "ref/prompt"
        ? { type: "prompt" as const, name: ref.name }
        : { type: "resource" as const, uri: ref.uri };
    return handed(() => offer.complete({ ref: about, argument, context: context?.arguments }, signal));
  });
}

/** The question stands on the stream of the call that it is about. */
function elicit(
  { send }: Line,
  relatedRequestId: RequestId,
  question: { id: string; params: ElicitParams },
): () => void {
  const tell = (message: object) =>
    void send({ jsonrpc: "2.0", ...message } as JSONRPCMessage, { relatedRequestId }).catch(() => {});
  tell({ method: "elicitation/create", ...question });
  return () => tell({ method: "notifications/cancelled", params: { requestId: question.id } });
}

/** Progress never goes back, whoever tells of it. */
function reporter(
  progressToken: RequestId | undefined,
  send: (notification: ServerNotification) => Promise<void>,
): CallFollower["onProgress"] {
  if (progressToken === undefined) return () => {};
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    last = Math.max(progress, last + leastStep);
    const params = {
      ...{ progressToken, progress: last },
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    void send({ method: "notifications/progress", params }).catch(() => {});
  };
}

const leastStep = 1e-6;

/** The SDK tells the client the code and the message of whatever is thrown. */
async function told<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError(errorCodes.internal, "Something went wrong on our side; the log says more.");
  }
}
