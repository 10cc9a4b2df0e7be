// A server over stdio whose every text is the one that it is given: `node told-server.mjs <text>`.
import { createInterface } from "node:readline";

const [told = ""] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = (name) => ({
  ...{ name, title: told, description: told },
  inputSchema: { type: "object", title: told, properties: { [told]: { type: "string", description: told } } },
  annotations: { title: told },
});
const result = (isError) => ({
  content: [
    { type: "text", text: told },
    { type: "resource_link", uri: "told://a", name: told, title: told, description: told },
  ],
  ...(isError ? { isError } : { structuredContent: { [told]: told, list: [{ [told]: told }] } }),
});

process.stderr.write(`${told}\n`);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: told, title: told, version: told },
      instructions: told,
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [tool("tell"), tool("fail"), tool(told.slice(0, 60))] }),
    "tools/call": () => result(params.name === "fail"),
    "prompts/list": () => ({ prompts: [{ name: told, title: told, description: told }] }),
    "resources/list": () => ({
      resources: [{ uri: "told://a", name: told, title: told, description: told }],
    }),
    "resources/templates/list": () => ({ resourceTemplates: [] }),
  };
  const answer = answers[method]?.();
  if (answer) send({ id, result: answer });
  else send({ id, error: { code: -32601, message: told } });
});
