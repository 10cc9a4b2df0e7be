import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";

const children: ChildProcess[] = [];
const agents: Agent[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const agent of agents.splice(0)) agent.destroy();
});

const at = (file: string) => JSON.stringify(pathToFileURL(file).href);
/** `/stream` never ends, `/run` keeps the drain from ending for 300 ms more, all else is answered when its body is there. */
const program = `
import { createServer } from "node:http";
import { endOnSignals } from ${at("scripts/shutdown.mjs")};
let live = Promise.resolve();
const server = createServer(async (request, response) => {
  if (request.url === "/stream") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.write(": here\\n\\n");
  }
  if (request.url === "/run") live = new Promise((resolve) => setTimeout(resolve, 300));
  for await (const _ of request);
  response.end("done");
});
const runtime = {
  drainMs: Number(process.env.DRAIN_MS), noticeMs: Number(process.env.NOTICE_MS),
  drain: () => (console.log("draining"), live),
  close: async () => console.log("closed"),
};
endOnSignals({ server, runtime: () => runtime, onExit: () => {} });
server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port));
`;

interface Served {
  child: ChildProcess;
  output(): string;
  exit: Promise<unknown>;
  send(path: string, options?: { method?: string; agent?: Agent }): ClientRequest;
}

/** A server that ends by signals, in a process of its own. */
async function serve(times: { drainMs: number; noticeMs?: number }): Promise<Served> {
  const env = { ...process.env, DRAIN_MS: String(times.drainMs), NOTICE_MS: String(times.noticeMs ?? 0) };
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    ...{ env, stdio: ["pipe", "pipe", "inherit"] as const },
  });
  children.push(child);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  await expect.poll(() => output).toMatch(/port \d+/);
  const port = Number(/port (\d+)/.exec(output)?.[1]);
  const exit = once(child, "exit").then(([code]) => code);
  const send: Served["send"] = (path, { method = "GET", agent } = {}) =>
    request({ host: "127.0.0.1", port, path, method, ...(agent && { agent }) });
  return { child, exit, send, output: () => output };
}

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
  return answer;
}

function kept(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

test("while it drains it answers, and tells each client to ask elsewhere next", async () => {
  const { child, exit, send, output } = await serve({ drainMs: 10_000 });
  const agent = kept();
  const before = await answerOf(send("/", { agent }));
  expect([before.headers.connection, await text(before)]).toEqual(["keep-alive", "done"]);
  await text(await answerOf(send("/run")));
  child.kill("SIGTERM");
  await expect.poll(output).toContain("draining");
  const meanwhile = await answerOf(send("/", { agent }));
  expect([meanwhile.headers.connection, await text(meanwhile)]).toEqual(["close", "done"]);
  expect(await exit).toBe(0);
});

test("a request that is under way is answered, also when all runs have ended before it", async () => {
  const { child, exit, send, output } = await serve({ drainMs: 10_000 });
  const slow = send("/upload", { method: "POST", agent: kept() });
  slow.write("half");
  await text(await answerOf(send("/")));
  child.kill("SIGTERM");
  await expect.poll(output).toContain("draining");
  // Longer than what readers get.
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect(output()).not.toContain("closed");
  const answer = await answerOf(slow);
  expect([answer.headers.connection, await text(answer)]).toEqual(["close", "done"]);
  expect(await exit).toBe(0);
});

test("a stream that does not end is cut, and a request that does not come to its end gets no more than the drain", async () => {
  const { child, exit, send, output } = await serve({ drainMs: 1_500 });
  const stream = await answerOf(send("/stream"));
  const cut = text(stream).catch(() => "cut");
  const stuck = send("/upload", { method: "POST" });
  const lost = once(stuck, "error");
  lost.catch(() => {});
  stuck.write("half");
  await text(await answerOf(send("/")));
  child.kill("SIGTERM");
  expect(await cut).toBe("cut");
  expect(await exit).toBe(0);
  expect(output()).toMatch(/draining\s+closed\n$/);
});

test("with nothing to do it goes on listening for as long as balancers need to notice", async () => {
  const { child, exit, send, output } = await serve({ drainMs: 10_000, noticeMs: 400 });
  child.kill("SIGTERM");
  await expect.poll(output).toContain("draining");
  expect(await text(await answerOf(send("/")))).toBe("done");
  expect(await exit).toBe(0);
});
