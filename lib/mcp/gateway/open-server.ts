import { Server } from "@modelcontextprotocol/sdk/server/index.js";
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
  type LoggingLevel,
  LoggingLevelSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  type CallFollower,
  type ClientQuestion,
  errorCodes,
  GatewayError,
  type Offer,
  type RequestId,
} from "./offer";

/** Nothing is checked with it; the SDK would make a compiler of schemas for each request. */
const jsonSchemaValidator = {
  getValidator: () => (value: unknown) => ({
    valid: true as const,
    data: value as never,
    errorMessage: undefined,
  }),
};

export interface Line {
  gone: AbortSignal;
  /** Past the SDK's server, which would wait for the answer in this process. */
  send(message: JSONRPCMessage, about: { relatedRequestId: RequestId }): Promise<void>;
}

/**
 * Answers these methods for one client, and what every server answers; what it sends by itself goes by `line`. One is opened for each
 * POST: of the others nothing is made.
 */
export function openServer(offer: Offer, methods: ReadonlySet<unknown>, line: Line): Server {
  const instructions = methods.has("initialize") ? offer.instructions() : "";
  const server = new Server(
    { name: "meguri", title: "Meguri", version: offer.version },
    {
      capabilities: {
        ...{ tools: { listChanged: true }, prompts: { listChanged: true } },
        ...{ resources: { listChanged: true, subscribe: true }, completions: {}, logging: {} },
      },
      ...(instructions !== "" && { instructions }),
      jsonSchemaValidator,
    },
  );
  for (const method of methods) answerers.get(method)?.(server, offer, line);
  return server;
}

type Answerer = (server: Server, offer: Offer, line: Line) => void;

/** Answers of servers are passed on as they came; the SDK's types are those of what it would send itself. */
const handed = async (work: () => Promise<object>) => (await told(work)) as never;

/** How each method is answered. */
const answerers = new Map<unknown, Answerer>(
  Object.entries<Answerer>({
    "tools/list": (server, offer) =>
      server.setRequestHandler(ListToolsRequestSchema, async () => ({
        tools: (await told(() => offer.tools())) as never,
      })),
    "tools/call": (server, offer, line) =>
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
        const follow: CallFollower = {
          ...{ signal: extra.signal, gone: line.gone },
          onProgress: reporter(extra._meta?.progressToken, (message) => extra.sendNotification(message)),
          onLog: logger(offer.logLevel, (message) => extra.sendNotification(message)),
          ask: (id, question) => ask(line, extra.requestId, { id, ...question }),
        };
        const { name, arguments: args = {} } = params;
        const called = { name, args, requestId: extra.requestId };
        return (await told(() => offer.call(called, follow))) as CallToolResult;
      }),
    "logging/setLevel": (server, offer) =>
      server.setRequestHandler(SetLevelRequestSchema, ({ params: { level } }) =>
        done(() => offer.setLogLevel(level)),
      ),
    "prompts/list": (server, offer) =>
      server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...offer.prompts()] as never })),
    "prompts/get": (server, offer) =>
      server.setRequestHandler(
        GetPromptRequestSchema,
        ({ params: { name, arguments: args = {} } }, { signal }) =>
          handed(() => offer.prompt(name, args, signal)),
      ),
    "resources/list": (server, offer) =>
      server.setRequestHandler(ListResourcesRequestSchema, () => ({
        resources: [...offer.resources()] as never,
      })),
    "resources/templates/list": (server, offer) =>
      server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
        resourceTemplates: [...offer.templates()] as never,
      })),
    "resources/read": (server, offer) =>
      server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { signal }) =>
        handed(() => offer.resource(uri, signal)),
      ),
    "resources/subscribe": (server, offer) =>
      server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }, { signal }) =>
        done(() => offer.watch(uri, signal)),
      ),
    "resources/unsubscribe": (server, offer) =>
      server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) =>
        done(() => offer.unwatch(uri)),
      ),
    "completion/complete": (server, offer) =>
      server.setRequestHandler(
        CompleteRequestSchema,
        ({ params: { ref, argument, context } }, { signal }) => {
          const about =
            ref.type === "ref/prompt"
              ? { type: "prompt" as const, name: ref.name }
              : { type: "resource" as const, uri: ref.uri };
          return handed(() => offer.complete({ ref: about, argument, context: context?.arguments }, signal));
        },
      ),
  }),
);

/** The question stands on the stream of the call that it is about. */
function ask(
  { send }: Line,
  relatedRequestId: RequestId,
  question: ClientQuestion & { id: string },
): () => void {
  const tell = (message: object) =>
    void send({ jsonrpc: "2.0", ...message } as JSONRPCMessage, { relatedRequestId }).catch(() => {});
  tell(question);
  return () => tell({ method: "notifications/cancelled", params: { requestId: question.id } });
}

/** Of one call: so many messages, and characters of them. */
const [maxLogged, maxLoggedCharacters] = [1_000, 1_000_000];

/** Says what servers log that is at least as grave as the client wants. */
function logger(
  least: string | undefined,
  send: (notification: ServerNotification) => Promise<void>,
): CallFollower["onLog"] {
  const leastAt = levels.indexOf(least ?? "");
  let [left, charactersLeft] = [maxLogged, maxLoggedCharacters];
  return ({ level, logger: name, data }) => {
    if (leastAt < 0 || levels.indexOf(level) < leastAt || left-- <= 0) return;
    charactersLeft -= JSON.stringify(data ?? null).length;
    if (charactersLeft < 0) return;
    const params = { level: level as LoggingLevel, ...(name !== undefined && { logger: name }), data };
    void send({ method: "notifications/message", params }).catch(() => {});
  };
}

/** The gravest last. */
const levels: readonly string[] = LoggingLevelSchema.options;

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

/** Nothing is said but that it is done. */
const done = (work: () => Promise<void>) =>
  told(async () => {
    await work();
    return {};
  });

/** The SDK tells the client the code and the message of whatever is thrown. */
async function told<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError(errorCodes.internal, "Something went wrong on our side; the log says more.");
  }
}
