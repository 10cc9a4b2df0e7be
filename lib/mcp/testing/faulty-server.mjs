// More servers that misbehave, over stdio: `node faulty-server.mjs <way> [more]`. No SDK, so that they start fast.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const [way = "", more = ""] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (method, params) => send({ method, params });
const text = (content) => ({ content: [{ type: "text", text: content }] });
const tool = (name, rest = {}) => ({
  ...{ name, description: `The tool ${name}.`, inputSchema: { type: "object" } },
  ...rest,
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const stay = () => setInterval(() => {}, 1_000);
const ignoreSignals = () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
};

/** Writes for ever, as fast as it is read. */
function flood(stream, write) {
  const go = () => {
    while (write());
    stream.once("drain", go);
  };
  go();
}

let cancelled = 0;
const echo = { tools: [tool("echo")], call: () => text("hello") };

/** Each way: its tools, and the answer to a call (undefined: none). */
const ways = {
  echo,
  twice: {
    tools: [tool("same", { description: "The first." }), tool("same", { description: "The second." })],
    call: ({ name }) => text(`called ${name}`),
  },
  // A list without an end, 9 MB a page.
  wide: {
    tools: [],
    page: (kind, count) => ({
      [kind]: Array.from({ length: 90 }, (_, at) => ({
        ...tool(`tool-${count}-${at}`, { description: "wide ".repeat(20_000) }),
        ...{ uri: `file:///${count}-${at}`, uriTemplate: `file:///${count}-${at}/{name}` },
      })),
      nextCursor: String(count + 1),
    }),
    call: () => text("wide"),
  },
  // Progress without an end: as fast as possible, or a little at a time.
  progress: {
    tools: [tool("flood"), tool("drip"), tool("echo")],
    call: async ({ name, _meta }) => {
      const progressToken = _meta?.progressToken;
      if (name === "echo") return text(`cancelled ${cancelled}`);
      const progress = () =>
        note("notifications/progress", { progressToken, progress: Date.now(), message: "still at it" });
      if (name === "flood") flood(process.stdout, progress);
      else for (progress(); ; progress()) await pause(20);
      return undefined;
    },
  },
  // Says that its lists have changed, as often as it is told to.
  changes: {
    tools: [tool("storm"), tool("echo")],
    call: ({ name, arguments: { times = 1 } = {} }) => {
      const kinds = ["tools", "prompts", "resources"];
      if (name === "storm")
        process.stdout.write(
          Array.from(
            { length: times },
            (_, at) => `{"jsonrpc":"2.0","method":"notifications/${kinds[at % 3]}/list_changed"}\n`,
          ).join(""),
        );
      return text(`told ${name}`);
    },
  },
  notifications: {
    tools: [tool("storm"), tool("echo")],
    call: ({ name }) => {
      if (name === "echo") return text("above the noise");
      flood(process.stdout, () => note("notifications/message", { level: "info", data: "noise".repeat(20) }));
      return undefined;
    },
  },
  stderr: {
    ...echo,
    start: () => flood(process.stderr, () => process.stderr.write(`${"noise ".repeat(500)}\n`)),
  },
  // Lines that are not messages, and one without an end.
  chatter: {
    ...echo,
    start: () => flood(process.stdout, () => process.stdout.write(`${"Listening ".repeat(20)}\n`)),
  },
  unbroken: { ...echo, start: () => flood(process.stdout, () => process.stdout.write("x".repeat(65_536))) },
  big: {
    tools: [tool("big"), tool("echo")],
    call: ({ name, arguments: { megabytes = 100 } = {} }) =>
      text(name === "echo" ? "small" : "x".repeat(megabytes * 1024 * 1024)),
  },
  // Exits in the middle of its answer.
  "half-answer": {
    tools: [tool("half"), tool("echo")],
    call: ({ name }, id) => {
      if (name === "echo") return text("alive");
      writeSync(1, `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`);
      process.exit(0);
    },
  },
  // Answers calls that were cancelled.
  late: {
    tools: [tool("late"), tool("echo")],
    call: async ({ name }) => {
      if (name === "late") await pause(400);
      return text(name);
    },
  },
  // Stops reading its input.
  stuck: {
    start: stay,
    tools: [tool("stick"), tool("echo")],
    call: ({ name }) => {
      if (name === "echo") return text("alive");
      process.stdin.pause();
      return text("stuck now");
    },
  },
  stubborn: {
    ...echo,
    start: () => {
      ignoreSignals();
      stay();
    },
  },
  // Protocol revisions that do not exist, agreed on in the old way and offered in the new one.
  version: { ...echo, version: more },
  future: { ...echo, supported: ["2099-01-01"] },
  // Other protocols: a language server, an echo, and one without any method of MCP.
  framed: {
    start: () => {
      const body = '{"jsonrpc":"2.0","method":"window/logMessage","params":{}}';
      process.stdout.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
      stay();
    },
    raw: () => {},
  },
  mirror: { raw: (line) => process.stdout.write(`${line}\n`) },
  stranger: { raw: (line) => refuse(JSON.parse(line)) },
  // A program that is not a server and waits for a person.
  prompt: { start: () => process.stdout.write("Python 3.13\n>>> "), raw: () => process.stdout.write(">>> ") },
};

const { tools, call, page, start, raw, version, supported } = ways[way];

const refuse = ({ id }) =>
  id !== undefined && send({ id, error: { code: -32601, message: "Method not found" } });

async function answer({ id, method, params }) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: version || params.protocolVersion,
        capabilities: { tools: { listChanged: true }, ...(page && { prompts: {}, resources: {} }) },
        serverInfo: { name: `faulty-${way}`, version: "1.0.0" },
      };
    case "server/discover":
      return supported && { supportedVersions: supported, capabilities: { tools: {} } };
    case "ping":
      return {};
    case "tools/list":
      return page ? page("tools", Number(params?.cursor ?? 0)) : { tools };
    case "prompts/list":
    case "resources/list":
      return page?.(method.split("/")[0], Number(params?.cursor ?? 0));
    case "resources/templates/list":
      return page?.("resourceTemplates", Number(params?.cursor ?? 0));
    case "tools/call":
      return (await call(params, id)) ?? "never";
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  if (raw) return raw(line);
  const message = JSON.parse(line);
  if (message.method === "notifications/cancelled") cancelled++;
  if (message.id === undefined) return;
  const result = supported && message.method === "initialize" ? undefined : await answer(message);
  if (result === "never") return;
  if (result) send({ id: message.id, result });
  else refuse(message);
});
start?.();
