// An MCP server whose tools bring an app, over stdio: `node apps-server.mjs <journal> <evil>`, where <evil> is
// the address of whom the hostile app tries to reach. What it was asked stands in the journal.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [journal, evil] = process.argv.slice(2);
const page = (name) =>
  readFileSync(join(import.meta.dirname, `${name}-app.html`), "utf8").replaceAll("http://evil.invalid", evil);
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
const tool = (name, ui, more = {}) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object", properties: { word: { type: "string" } } },
  ...(ui && { _meta: { ui } }),
  ...more,
});
const tools = [
  tool("show", { resourceUri: "ui://apps/friendly" }, { annotations: { readOnlyHint: true } }),
  tool("attack", { resourceUri: "ui://apps/hostile" }, { annotations: { readOnlyHint: true } }),
  tool("refresh", { visibility: ["app"] }, { annotations: { readOnlyHint: true } }),
  tool("think", { visibility: ["model"] }, { annotations: { readOnlyHint: true } }),
  tool("order"),
];
const csp = { connectDomains: ["https://declared.invalid", "http://127.0.0.1:3000", "https://localhost"] };
const resources = {
  "ui://apps/friendly": { mimeType: "text/html;profile=mcp-app", text: () => page("friendly") },
  "ui://apps/hostile": {
    mimeType: "text/html;profile=mcp-app",
    text: () => page("hostile"),
    _meta: { ui: { csp } },
  },
  "note://one": { mimeType: "text/plain", text: () => "a note of the server" },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    appendFileSync(journal, `${JSON.stringify({ capabilities: params.capabilities })}\n`);
    return answer(id, {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: "apps", version: "1" },
    });
  }
  if (method === "ping") return answer(id, {});
  if (method === "tools/list") return answer(id, { tools });
  if (method === "resources/list") return answer(id, { resources: [] });
  if (method === "resources/read" && resources[params.uri]) {
    const { text, ...rest } = resources[params.uri];
    return answer(id, { contents: [{ uri: params.uri, ...rest, text: text() }] });
  }
  if (method === "tools/call") {
    const { name, arguments: args } = params;
    appendFileSync(journal, `${JSON.stringify({ call: name, args })}\n`);
    return answer(id, {
      content: [{ type: "text", text: `${name} ran` }],
      structuredContent: { word: args?.word ?? null },
      _meta: { beside: "only for the app" },
    });
  }
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: method } })}\n`,
  );
});
