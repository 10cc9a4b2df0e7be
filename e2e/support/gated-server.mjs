// An MCP server over stdio whose calls come back when the test says so: `node gated-server.mjs <journal> [description]`.
// Each start, call and cancellation is a line in the journal; a call is answered once `<journal>.open` exists.
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [journal, description = "Waits for the test."] = process.argv.slice(2);
const note = (line) => appendFileSync(journal, `${JSON.stringify({ at: Date.now(), ...line })}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const cancelled = new Set();
note({ event: "start", pid: process.pid });

const tool = (name, annotations) => ({ name, description, inputSchema: { type: "object" }, annotations });
const tools = [tool("work", {}), tool("look", { readOnlyHint: true })];

async function call(id, { name, arguments: args, _meta }) {
  note({ event: "call", name, args, trace: _meta?.traceparent });
  while (!existsSync(`${journal}.open`) && !cancelled.has(id))
    await new Promise((resolve) => setTimeout(resolve, 20));
  return { content: [{ type: "text", text: `${name} is done` }] };
}

function answer({ id, method, params }) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "gated", version: "1.0.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools };
    case "tools/call":
      return call(id, params);
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.method === "notifications/cancelled") {
    cancelled.add(message.params.requestId);
    note({ event: "cancelled" });
  }
  if (message.id === undefined) return;
  const result = await answer(message);
  if (result) send({ id: message.id, result });
  else send({ id: message.id, error: { code: -32601, message: "Method not found" } });
});
