// Behaviour of common packages that a host must handle, one way each, over stdio: `node common-servers.mjs <way>
// [more]`. No SDK, so that they start fast.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [way = "", ...more] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (content) => ({ content: [{ type: "text", text: content }] });
const tool = (name, inputSchema = { type: "object" }) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema,
});

/** Each way: its tools, and the answer to a call. */
const ways = {
  // mcp-remote: what is sent to the server behind it is in its arguments.
  "header-bridge": { tools: [tool("arguments")], call: () => text(JSON.stringify(more)) },
  // supergateway: the first message, whatever it is, begins the session; a second `initialize` is refused.
  "begun-by-anything": {
    tools: [tool("echo")],
    call: () => text("through the bridge"),
    refuse: (method) => {
      const again = begun && method === "initialize";
      begun = true;
      return again ? "Invalid Request: Server already initialized" : undefined;
    },
  },
  // Writes into its working folder.
  writer: {
    tools: [tool("write")],
    call: ({ arguments: { file } }) => {
      writeFileSync(file, "written");
      return text(process.cwd());
    },
  },
  // Fails with another error than "method not found".
  "shut-library": { tools: [], library: true },
  // Says once that it does not know a method, and is silent afterwards.
  "falls-silent": { silent: true },
};

let begun = false;
const { tools, call, refuse, silent, library } = ways[way];

function answer({ method, params }) {
  if (silent) return undefined;
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, ...(library && { resources: {} }) },
        serverInfo: { name: way, version: "1.0.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools };
    case "tools/call":
      return call(params);
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const refused = refuse?.(message.method);
  if (message.id === undefined || (silent && begun)) return;
  begun ||= silent === true;
  if (library && message.method.startsWith("resources/")) {
    send({ id: message.id, error: { code: -32603, message: "The library is shut." } });
    return;
  }
  const result = refused ? undefined : answer(message);
  if (result) send({ id: message.id, result });
  else
    send({
      id: message.id,
      error: refused ? { code: -32600, message: refused } : { code: -32601, message: "Method not found" },
    });
});
