import type { ServerResponse } from "node:http";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { listen } from "./http-server";

/** An MCP server in this process: a test sees the calls that reach it, and decides when they are answered. */
export interface DeskServer {
  config: McpServerConfig;
  /** What was called, in the order of arrival. */
  calls: { name: string; args: Record<string, unknown> }[];
  /** How many calls were cancelled. */
  cancelled: number;
  /** Resolves when this many calls have arrived. */
  came(count: number): Promise<void>;
  /** Calls that arrive from now on are not answered until the returned function is called. */
  hold(): () => void;
  /** The description of its tools, from the next connection on. */
  description: string;
  close(): Promise<void>;
}

interface Message {
  id?: number | string;
  method?: string;
  params?: { name: string; arguments?: Record<string, unknown>; protocolVersion?: string };
  result?: unknown;
}

const tool = (name: string, description: string, annotations: object = {}) => ({
  ...{ name, description, annotations },
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
});

/** `work` and `act` may change something, `look` only reads, `form` asks its person to fill in a form during the call, and fails without it. */
const toolsAs = (description: string) => [
  tool("work", description),
  tool("act", description),
  tool("look", description, { readOnlyHint: true }),
  tool("form", description, { readOnlyHint: true }),
];

export async function openDeskServer(): Promise<DeskServer> {
  const forms = new Map<unknown, (answer: unknown) => void>();
  const listeners = new Set<() => void>();
  let held: Promise<void> | undefined;
  const desk: DeskServer = {
    config: { url: "" },
    calls: [],
    cancelled: 0,
    description: "A tool of the desk.",
    came: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (desk.calls.length < count) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    close: async () => {},
  };

  const call = async (
    id: Message["id"],
    { name, arguments: args = {} }: NonNullable<Message["params"]>,
    response: ServerResponse,
  ) => {
    desk.calls.push({ name, args });
    for (const look of listeners) look();
    await held;
    const answer = (text: string) => ({
      ...{ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } },
    });
    if (name !== "form") return json(response, answer(`${name} ${JSON.stringify(args)}`));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (message: object) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    forms.set(`form-${id}`, (said) => {
      const { result, ...rest } = answer(`form ${JSON.stringify(said)}`);
      const isError = (said as { action?: string } | undefined)?.action !== "accept";
      send({ ...rest, result: { ...result, isError } });
      response.end();
    });
    const requestedSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const params = { message: "Where?", requestedSchema };
    return send({ jsonrpc: "2.0", id: `form-${id}`, method: "elicitation/create", params });
  };

  const answer = (message: Message, response: ServerResponse) => {
    const { id, method, params } = message;
    if (method === "notifications/cancelled") desk.cancelled++;
    if (method === undefined) forms.get(id)?.(message.result);
    if (id === undefined || method === undefined) return response.writeHead(202).end();
    if (method === "tools/call" && params) return call(id, params, response);
    const result =
      method === "initialize"
        ? {
            protocolVersion: params?.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "desk", version: "1.0.0" },
          }
        : method === "tools/list"
          ? { tools: toolsAs(desk.description) }
          : undefined;
    if (result) return json(response, { jsonrpc: "2.0", id, result });
    return json(response, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  };

  const server = await listen(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    let body = "";
    for await (const part of request) body += String(part);
    return answer(JSON.parse(body), response);
  });
  return Object.assign(desk, { config: { url: server.url }, close: server.close });
}

const json = (response: ServerResponse, message: object) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
