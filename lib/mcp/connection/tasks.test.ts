import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { CallTarget } from "@/lib/mcp/calls/call-options";
import { callTool } from "@/lib/mcp/calls/call-tool";
import { askedCall } from "@/lib/mcp/testing/asked-call";
import { npmServer, openPool, root, textOf } from "@/lib/mcp/testing/test-pool";
import type { ServerTool } from "./server-tool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const tasksIn = (file: string) => ({
  command: "node",
  args: [join(root, "lib/mcp/testing/task-server.mjs"), file],
});

async function modern() {
  const folder = await mkdtemp(join(tmpdir(), "tasks-"));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "tasks.json");
  const { pool, ready, close } = await openPool({ desk: tasksIn(file) });
  closing.push(close);
  expect(await ready("desk")).toMatchObject({ era: "modern" });
  return { pool, file };
}

async function everything() {
  const { pool, ready, close } = await openPool({ everything: npmServer("server-everything") });
  closing.push(close);
  await ready("everything");
  return pool;
}

test("2025-11-25: a tool that must be called as a task is, and says how it goes", async () => {
  const pool = await everything();
  const { run, ofType } = askedCall(pool, "everything__simulate-research-query", {
    args: { topic: "tea", ambiguous: false },
  });
  const result = await run();
  expect("content" in result && textOf(result)).toContain("# Research Report: tea");
  expect(ofType("tool_state")).toHaveLength(1);
  const said = ofType("tool_progress").map(({ message }) => message);
  expect(said).toContain("Gathering sources...");
  expect(said).toContain("Generating report...");
});

test("2025-11-25: a task asks on its way, and waits for the answer", async () => {
  const pool = await everything();
  const { run, answer, ofType } = askedCall(pool, "everything__simulate-research-query", {
    args: { topic: "python", ambiguous: true },
  });
  expect(await run()).toEqual({ waiting: "awaiting_input" });
  expect(ofType("input_request")[0]?.message).toContain("multiple interpretations");
  answer({ input: { action: "accept", content: { interpretation: "snake" } } });
  const result = await run();
  expect("content" in result && textOf(result)).toContain("python (snake)");
});

test("2025-11-25: Stop cancels the task on its server", async () => {
  const pool = await everything();
  const { run, stop, ofType } = askedCall(pool, "everything__simulate-research-query", {
    args: { topic: "tea", ambiguous: false },
  });
  const running = run();
  await expect.poll(() => ofType("tool_state").length).toBe(1);
  stop.abort();
  expect(await running).toMatchObject({ status: "unknown" });
  await expect
    .poll(() => pool.logs("everything").map(({ text }) => text))
    .toContainEqual(expect.stringContaining("→ tasks/cancel"));
});

test("2026-07-28: a call that its server makes a task is looked after to its end", async () => {
  const { pool } = await modern();
  const { run, ofType, chunks } = askedCall(pool, "desk__report");
  const result = await run();
  expect("content" in result && textOf(result)).toBe("the report");
  expect(ofType("tool_progress").map(({ message }) => message)).toEqual(["chapter 1", "chapter 2"]);
  expect(chunks.map(({ type }) => type)).toEqual([
    "tool_start",
    "tool_state",
    "tool_progress",
    "tool_progress",
  ]);
});

test("2026-07-28: a task that fails is an error of the tool", async () => {
  const { pool } = await modern();
  const result = await askedCall(pool, "desk__fails").run();
  expect(result).toMatchObject({ status: "error" });
  expect("content" in result && textOf(result)).toContain("out of paper");
});

test("2026-07-28: a task asks once, and goes on with the answer", async () => {
  const { pool } = await modern();
  const { run, answer, ofType } = askedCall(pool, "desk__patient");
  expect(await run()).toEqual({ waiting: "awaiting_input" });
  answer({ input: { action: "accept", content: { which: "the blue one" } } });
  const result = await run();
  expect("content" in result && JSON.parse(textOf(result))).toEqual({
    action: "accept",
    content: { which: "the blue one" },
  });
  expect(ofType("input_request")).toHaveLength(1);
});

test("a task is taken up again by another process, with what stands in the log", async () => {
  const { pool, file } = await modern();
  const first = askedCall(pool, "desk__endless");
  void first.run();
  await expect.poll(() => first.ofType("tool_state").length).toBe(1);
  // As after kill -9: the server's process ends with ours, the task does not.
  await pool.close();
  const tasks = await readFile(file, "utf8");
  expect(tasks).not.toContain("cancelled");
  await writeFile(file, tasks.replace("endless", "report"));
  const again = await openPool({ desk: tasksIn(file) });
  closing.push(again.close);
  await again.ready("desk");
  const second = askedCall(again.pool, "desk__endless", { past: first.chunks });
  const result = await second.run();
  expect("content" in result && textOf(result)).toBe("the report");
  expect(second.ofType("tool_start")).toHaveLength(1);
});

test("a task that is stopped before its server is there again is not said to have not run", async () => {
  const stop = new AbortController();
  const target: CallTarget = {
    server: "desk",
    tool: { name: "endless", inputSchema: {} } as ServerTool,
    timeoutMs: 1_000,
    repeatable: false,
    use: (_call, send) => send(undefined),
    connection: async () => void stop.abort(),
  };
  const outcome = await callTool(target, {
    callId: "call_1",
    args: {},
    signal: stop.signal,
    onProgress: () => {},
    resume: { taskId: "task-1" },
  });
  expect(outcome).toMatchObject({ status: "unknown" });
});

test("a task that its server has forgotten leaves its outcome unknown", async () => {
  const { pool, file } = await modern();
  const { run, ofType } = askedCall(pool, "desk__endless");
  const running = run();
  await expect.poll(() => ofType("tool_state").length).toBe(1);
  await rm(file);
  const result = await running;
  expect(result).toMatchObject({ status: "unknown" });
  expect("content" in result && textOf(result)).toContain("There is no task task-1");
});
