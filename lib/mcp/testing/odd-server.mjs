// A server with valid but unusual tools, over stdio: `node odd-server.mjs [address that must not be fetched]`. A call
// returns its arguments unchanged.
import { createInterface } from "node:readline";

const [elsewhere = "http://127.0.0.1:9"] = process.argv.slice(2);
const string = { type: "string" };
const object = (properties = {}, more = {}) => ({ type: "object", properties, ...more });
const slow = { type: "string", pattern: "^(a+)+$" };

const nest = (levels) =>
  levels === 0
    ? string
    : object({ [`level_${levels}`]: nest(levels - 1) }, { required: [`level_${levels}`] });

const schemas = {
  loop: object({ name: string, self: { $ref: "#" } }, { required: ["name"] }),
  // No finite value is valid.
  mutual: object(
    { first: { $ref: "#/$defs/egg" } },
    {
      required: ["first"],
      $defs: {
        egg: object(
          { hen: { $ref: "#/$defs/hen" }, other: { $ref: "#/$defs/hen" } },
          { required: ["hen", "other"] },
        ),
        hen: object({ egg: { $ref: "#/$defs/egg" }, name: string }, { required: ["egg", "name"] }),
      },
    },
  ),
  remote: object(
    { place: { $ref: `${elsewhere}/place.json` }, broken: { $ref: "#/$defs/100%" } },
    { $schema: `${elsewhere}/meta.json`, $id: `${elsewhere}/remote.json`, required: ["place"] },
  ),
  pattern: object({ word: slow }, { required: ["word"] }),
  names: object(
    JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"},"plain":{"type":"string"}}'),
    {
      required: ["__proto__", "plain"],
    },
  ),
  choices: object(
    { one: { enum: Array.from({ length: 5_000 }, (_, at) => `choice ${at}`) }, note: string },
    { required: ["one"] },
  ),
  nested_20: nest(20),
  nested_100: nest(100),
  wordy: object({ note: string }),
  [`long_${"n".repeat(195)}`]: object(),
  // Reads as "pay.exe" after the bidirectional mark.
  "pay\u202eexe.": object(),
  "🦊 & 👩‍🚀": object(),
};

const tools = Object.entries(schemas).map(([name, inputSchema]) => ({
  name,
  description: name === "wordy" ? "many words ".repeat(9_091).slice(0, 100_000) : "Gives its arguments back.",
  inputSchema,
  annotations: { readOnlyHint: !/^(names|mutual|long|pay)/.test(name) },
  ...(name === "pattern" && { outputSchema: object({ word: slow }) }),
}));

const call = ({ name, arguments: args = {} }) => ({
  content: [{ type: "text", text: `got ${JSON.stringify(args)}` }],
  ...(name === "pattern" && { structuredContent: args }),
});

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "odd", version: "1.0.0" },
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools }),
    "tools/call": () => call(params),
  };
  const result = results[method]?.();
  if (result) send({ id, result });
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
