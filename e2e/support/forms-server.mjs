// An MCP server over stdio for pages on which tools are tried: `node forms-server.mjs`. `order` gives its arguments
// back, `shout` writes lines to stderr.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (content) => ({ content: [{ type: "text", text: content }] });

const dish = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "integer", minimum: 1, maximum: 9, default: 1 } },
  required: ["name", "count"],
};
const tools = [
  {
    name: "order",
    description: "Takes an order.",
    inputSchema: {
      type: "object",
      properties: {
        table: { type: "integer", minimum: 1, maximum: 40, description: "Where they sit" },
        course: { enum: ["starter", "main"] },
        dishes: { type: "array", items: dish },
        guest: {
          type: "object",
          properties: { name: { type: "string" }, regular: { type: "boolean" } },
          required: ["name"],
        },
        note: { type: "string" },
      },
      required: ["table", "course", "dishes", "guest"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  {
    name: "shout",
    description: "Writes that many lines.",
    inputSchema: { type: "object", properties: { lines: { type: "integer" } }, required: ["lines"] },
  },
];

function call({ name, arguments: args }) {
  if (name === "order") return text(JSON.stringify(args));
  for (let line = 1; line <= args.lines; line++) process.stderr.write(`shouted ${line}\n`);
  return text("done");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: "forms", version: "1.0.0" };
  const { protocolVersion } = params ?? {};
  if (method === "initialize")
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  else if (method === "ping") send({ id, result: {} });
  else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") send({ id, result: call(params) });
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
