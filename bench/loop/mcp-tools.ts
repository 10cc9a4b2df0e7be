import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { manyTools } from "./tasks";

/** What the server was asked since somebody looked. */
export interface Called {
  calls: number;
  cancelled: number;
}

const field = (name: string, type: "string" | "number") => ({
  type: "object" as const,
  properties: { [name]: { type } },
  required: [name],
});

const few = [
  { name: "echo", description: "Says it again.", inputSchema: field("text", "string") },
  { name: "sleep", description: "Waits so many milliseconds.", inputSchema: field("ms", "number") },
];
const others = Array.from({ length: manyTools - few.length }, (_, index) => ({
  name: `lookup_${index}`,
  description: `Looks up the records of department ${index} that fit all given conditions, newest first.`,
  inputSchema: {
    type: "object" as const,
    properties: {
      query: { type: "string", description: "Words that the record must hold." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        description: "Records at most, default 20.",
      },
      state: { type: "string", enum: ["open", "closed", "any"] },
    },
    required: ["query"],
  },
}));
const all = [...few, ...others];

/** `echo` and `sleep`; with `many` so many others that they are 500. Light, since one contestant opens a session for each call. */
export function createToolServer(many: boolean, called: Called): Server {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: many ? all : few }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const args = params.arguments ?? {};
    const wanted = few.find(({ name }) => name === params.name);
    if (!wanted) throw new McpError(ErrorCode.InvalidParams, `Tool ${params.name} not found`);
    const value = params.name === "echo" ? args.text : args.ms;
    const type = params.name === "echo" ? "string" : "number";
    if (typeof value !== type)
      throw new McpError(ErrorCode.InvalidParams, `Invalid arguments for tool ${params.name}: not a ${type}`);
    called.calls++;
    if (params.name === "sleep")
      await wait(Number(value), undefined, { signal }).catch(() => called.cancelled++);
    return { content: [{ type: "text", text: params.name === "echo" ? String(value) : "Slept." }] };
  });
  return server;
}
