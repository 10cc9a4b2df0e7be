import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { wholeJson } from "@/lib/protocol/whole-answer";
import type { RequestId } from "./offer";

/** An answer that comes in this time is told as JSON. */
const quickMs = 10;

type Events = WebStandardStreamableHTTPServerTransport;

interface Post {
  request: Request;
  /** As `JSON.parse` gives them. */
  messages: unknown;
}

/**
 * What the SDK's server writes to while one POST is answered. A call that is answered soon, and before anything else is said, is
 * answered by JSON; all else goes the way of the SDK's own transport, which prepares for longer than most calls take.
 */
export class AnswerTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: () => void;
  private readonly first = Promise.withResolvers<JSONRPCMessage | undefined>();
  /** What is said before there are events, once it is clear that there will be. */
  private readonly held: Parameters<Events["send"]>[] = [];
  private isByEvents = false;
  private events: Events | undefined;
  private isClosed = false;

  /** `onAnswered` is told of each request that has been answered. */
  constructor(private readonly onAnswered: (requestId: RequestId) => void = () => {}) {}

  async start(): Promise<void> {}

  async send(...sent: Parameters<Events["send"]>): Promise<void> {
    const [message] = sent;
    const isAnswer = !("method" in message);
    try {
      if (this.events) return await this.events.send(...sent);
      if (isAnswer && !this.isByEvents) return this.first.resolve(message);
      this.held.push(sent);
      this.goByEvents();
    } finally {
      // Also where nobody is there any more to whom it could be sent.
      if (isAnswer && message.id !== undefined) this.onAnswered(message.id);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.goByEvents();
    await this.events?.close();
    this.onclose?.();
  }

  /** By events, unless `isJson`. What is no message of MCP is refused. */
  answer({ request, messages }: Post, isJson: boolean): Promise<Response> {
    this.events = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: isJson });
    this.events.onmessage = (message, extra) => this.onmessage?.(message, extra);
    return this.events.handleRequest(request, { parsedBody: messages });
  }

  /** The answer to one request, which is not one that the SDK would refuse: by JSON if it comes soon. */
  async answerSoon(post: Post & { messages: JSONRPCMessage }): Promise<Response> {
    this.onmessage?.(post.messages);
    const timer = setTimeout(() => this.goByEvents(), quickMs);
    const answer = await this.first.promise;
    clearTimeout(timer);
    return answer
      ? wholeJson(answer, { headers: { "Cache-Control": "no-store, no-transform" } })
      : this.openEvents(post);
  }

  private goByEvents(): void {
    this.isByEvents = true;
    this.first.resolve(undefined);
  }

  private async openEvents({ request, messages }: Post): Promise<Response> {
    const events = new WebStandardStreamableHTTPServerTransport();
    // The server has them already.
    events.onmessage = () => {};
    const answer = await events.handleRequest(request, { parsedBody: messages });
    // Also what is said meanwhile.
    for (const sent of this.held) await events.send(...sent);
    this.events = events;
    if (this.isClosed) await events.close();
    return answer;
  }
}

/** Whether these messages are one request that the SDK's transport would take. */
export function isOneRequest(post: Post): post is Post & { messages: JSONRPCMessage } {
  const { headers } = post.request;
  const accepted = headers.get("accept") ?? "";
  const revision = headers.get("mcp-protocol-version");
  return (
    accepted.includes("application/json") &&
    accepted.includes("text/event-stream") &&
    (revision === null || SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) &&
    isJSONRPCRequest(post.messages)
  );
}
