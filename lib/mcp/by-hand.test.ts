import { expect, test } from "vitest";
import type { McpRawMessage } from "@/lib/protocol/mcp-offers";
import { startPool } from "./testing/start-pool";
import { fixture, npmServer, textOf } from "./testing/test-pool";
import { LogRing } from "./transport/log-ring";

test("who tries a tool is told the call and its answer as they go over the wire, and the progress between", async () => {
  const { pool, ready } = await startPool({ everything: npmServer("server-everything") });
  await ready("everything");
  const events: (McpRawMessage | number)[] = [];
  const watch = {
    onProgress: ({ progress }: { progress: number }) => void events.push(progress),
    onMessage: (raw: McpRawMessage) => void events.push(raw),
  };
  const args = { duration: 0.2, steps: 2 };
  const signal = new AbortController().signal;
  const result = await pool.call("everything", "trigger-long-running-operation", args, signal, watch);
  expect(result.status).toBe("ok");
  expect(events).toMatchObject([
    {
      direction: "sent",
      message: {
        jsonrpc: "2.0",
        method: "tools/call",
        params: { name: "trigger-long-running-operation", arguments: args },
      },
    },
    1,
    2,
    { direction: "received", message: { result: { content: [{ type: "text", text: textOf(result) }] } } },
  ]);
});

test("a call that is given up is told to the server, and other calls are not heard of", async () => {
  const { pool, ready, run } = await startPool({ cancel: fixture("cancel") });
  await ready("cancel");
  const stop = new AbortController();
  const raw: McpRawMessage[] = [];
  const watch = { onProgress: () => {}, onMessage: (message: McpRawMessage) => void raw.push(message) };
  const endless = pool.call("cancel", "endless", {}, stop.signal, watch);
  await expect.poll(() => raw.length).toBe(1);
  stop.abort();
  expect((await endless).status).toBe("unknown");
  expect(textOf((await run("cancel__cancelled")).result)).toContain("aborted");
  expect(raw).toHaveLength(1);
});

test("a log is followed by marks: each line once, and what was too much is counted", () => {
  const log = new LogRing();
  const add = (count: number) => {
    for (let line = 1; line <= count; line++) log.add("stderr", `line ${line}`);
  };
  add(2);
  const first = log.after(undefined);
  expect(first.lines.map(({ text }) => text)).toEqual(["line 1", "line 2"]);
  expect(log.after(first.mark)).toEqual({ lines: [], mark: first.mark, missed: 0 });
  add(1);
  const second = log.after(first.mark);
  expect(second).toMatchObject({ lines: [{ text: "line 1" }], missed: 0 });
  add(1_200);
  const third = log.after(second.mark);
  expect(third.lines).toHaveLength(1_000);
  expect(third).toMatchObject({ missed: 200 });
  expect(third.lines.at(-1)?.text).toBe("line 1200");
  // A mark of another process, or an invalid one, starts from the beginning.
  for (const mark of ["1.7", "nonsense", `${Date.now() + 9}.3`])
    expect(log.after(mark)).toMatchObject({ missed: 0, lines: { length: 1_000 } });
});
