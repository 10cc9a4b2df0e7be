import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { LogRing } from "./log-ring";
import { StdioTransport } from "./stdio-transport";

const closing: StdioTransport[] = [];
afterEach(() => Promise.all(closing.splice(0).map((transport) => transport.close())));

/** Sends 300 messages at once at the end of what it is told. */
const child = `process.stdin.on("data", (piece) => {
  if (String(piece).includes("the end"))
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/noise"}\\n'.repeat(300));
});`;

test.each<[string, (id: number) => JSONRPCMessage, boolean]>([
  ["a request", (id) => ({ jsonrpc: "2.0", id, method: "ping" }), true],
  ["an answer", (id) => ({ jsonrpc: "2.0", id, result: {} }), false],
  ["a notification", () => ({ jsonrpc: "2.0", method: "notifications/cancelled" }), false],
])("only a request lets more lines be read at once: %s", async (_, messageOf, isMore) => {
  const launch = { command: process.execPath, args: ["-e", child], env: {}, cwd: import.meta.dirname };
  const transport = new StdioTransport({
    launch: { kind: "stdio", roots: [], sampling: false, makes: [], ...launch },
    env: {},
    isolation: "group",
    log: new LogRing(),
  });
  closing.push(transport);
  const read = Promise.withResolvers<number>();
  let count = 0;
  transport.onmessage = () => {
    if (++count === 1) setImmediate(() => read.resolve(count));
  };
  await transport.start();
  for (let id = 1; id <= 50; id++) await transport.send(messageOf(id));
  await transport.send({ jsonrpc: "2.0", method: "the end" });
  if (isMore) expect(await read.promise).toBeGreaterThanOrEqual(200);
  else expect(await read.promise).toBeLessThanOrEqual(50);
});
