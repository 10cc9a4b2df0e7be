// A server whose tools take files, and give some, over stdio: `node file-server.mjs <journal>`. Each call is a line of the
// journal. No SDK, so that it starts fast.
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [journal] = process.argv.slice(2);
const text = (content) => ({ content: [{ type: "text", text: content }] });
const base64 = {
  type: "string",
  contentEncoding: "base64",
  maxLength: 20_000_000,
  pattern: "^[A-Za-z0-9+/=]*$",
};
const tool = (name, properties, readOnlyHint = false) => ({
  name,
  description: `Takes files: ${name}.`,
  inputSchema: {
    type: "object",
    properties,
    required: Object.keys(properties).slice(0, 1),
    additionalProperties: false,
  },
  annotations: { readOnlyHint },
});
const lengthOf = (data) => `${Buffer.from(data, "base64").byteLength} bytes`;

const tools = {
  base64: [
    tool("base64", { data: base64, note: { type: "string", maxLength: 20 } }),
    ({ data }) => lengthOf(data),
  ],
  uri: [
    tool("uri", { image: { type: "string", format: "uri" } }),
    ({ image }) =>
      `${image.slice(0, image.indexOf(",") + 1)} ${lengthOf(image.slice(image.indexOf(",") + 1))}`,
  ],
  path: [tool("path", { path: { type: "string" } }), ({ path }) => `${readFileSync(path).byteLength} bytes`],
  many: [
    tool("many", { files: { type: "array", items: { type: "object", properties: { data: base64 } } } }),
    ({ files }) => files.map(({ data }) => lengthOf(data)).join(", "),
  ],
  look: [tool("look", { data: base64 }, true), ({ data }) => lengthOf(data)],
  echo: [tool("echo", { text: { type: "string" } }, true), ({ text }) => text],
  give: [
    tool("give", { bytes: { type: "integer" } }, true),
    ({ bytes }) => ({
      content: [{ type: "image", mimeType: "image/png", data: Buffer.alloc(bytes, 7).toString("base64") }],
    }),
  ],
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "files", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: Object.values(tools).map(([described]) => described) }),
  "tools/call": ({ name, arguments: args }) => {
    appendFileSync(journal, `${JSON.stringify({ name, args })}\n`);
    const said = tools[name][1](args);
    return typeof said === "string" ? text(said) : said;
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
});
