// A server of 2025 over stdio that asks for a word during a call: `node asking-server.mjs`. Its questions do not say
// which call they are for, unless `named` is set.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const open = new Map();
let asked = 0;

const text = (words) => ({ content: [{ type: "text", text: words }] });

async function fileThere(path) {
  while (path && !existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/**
 * Asks `times` times at once and then once more, and tells how often it was refused.
 * @param {any} request
 */
async function askOften({ arguments: { times, ...rest }, ...params }) {
  const one = (label) => ask({ ...params, arguments: { after: undefined, named: false, ...rest, label } });
  const answers = await Promise.all(Array.from({ length: times }, (_, at) => one(at)));
  const words = [...answers, await one("later")].map(({ content: [{ text }] }) => text);
  const refused = words.filter((said) => said.includes("questions at once"));
  return text(`${refused.length} refused, then: ${words.filter((said) => !refused.includes(said))}`);
}

/** Asks once the file `after` exists. */
async function ask({ arguments: { label, after, named }, _meta }) {
  await fileThere(after);
  const id = `question-${++asked}`;
  const answered = new Promise((resolve) => open.set(id, resolve));
  const schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
  send({
    id,
    method: "elicitation/create",
    params: {
      mode: "form",
      message: `A word for ${label}?`,
      requestedSchema: schema,
      ...(named && { _meta: { progressToken: _meta.progressToken } }),
    },
  });
  const { result, error } = await answered;
  return text(`${label}: ${error?.message ?? result.content?.word ?? result.action}`);
}

/** @param {any} request */
async function call({ name, ...params }) {
  if (name === "ask") return params.arguments.times ? askOften(params) : ask(params);
  await fileThere(params.arguments.after);
  return text("worked");
}

const inputSchema = { type: "object" };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "asking", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [
      { name: "ask", inputSchema },
      { name: "work", inputSchema },
    ],
  }),
  "tools/call": call,
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (!message.method) return open.get(message.id)?.(message);
  if (message.id === undefined) return;
  const answer = answers[message.method];
  if (answer) send({ id: message.id, result: await answer(message.params ?? {}) });
  else send({ id: message.id, error: { code: -32601, message: "Method not found" } });
});
