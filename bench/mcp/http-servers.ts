import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { serveParent } from "@/bench/support/child";

/** Any number of MCP servers at one address, by hand: `/<ms that each answer takes>/<number of tools>/<name>`. */
const http = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const [, delay, tools] = request.url?.split("/") ?? [];
  const message = JSON.parse(await readText(request)) as Message;
  await wait(Number(delay));
  if (message.id === undefined) return response.writeHead(202).end();
  if (message.method === "tools/call") return sendMuch(response, message);
  const result = resultOf(message, Number(tools));
  const error = { code: -32601, message: "Method not found" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...(result ? { result } : { error }) }));
});

interface Message {
  id?: number;
  method: string;
  params: { protocolVersion?: string; arguments?: { megabytes?: number } };
}

function resultOf({ method, params }: Message, tools: number): object | undefined {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1.0.0" },
    };
  if (method === "tools/list") return { tools: Array.from({ length: tools }, (_, at) => toolOf(at)) };
  return method === "ping" ? {} : undefined;
}

const toolOf = (at: number) => ({
  name: `lookup_${at}`,
  description: `Looks up the records of department ${at} that fit all given conditions, newest first.`,
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words that the record must hold." },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "Records at most, default 20." },
      state: { type: "string", enum: ["open", "closed", "any"] },
    },
    required: ["query"],
  },
});

/** One text of so many megabytes, as fast as it is read. */
function sendMuch(response: ServerResponse, { id, params }: Message): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
  const piece = "x".repeat(64 * 1024);
  let left = (params.arguments?.megabytes ?? 100) * 16;
  const go = () => {
    while (left-- > 0 && !response.destroyed) if (!response.write(piece)) return response.once("drain", go);
    return response.end('"}]}}');
  };
  go();
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

http.keepAliveTimeout = 600_000;
http.listen(0, "127.0.0.1", () => serveParent(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
