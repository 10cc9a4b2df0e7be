import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { askedCall } from "@/lib/mcp/testing/asked-call";
import { npmServer, openPool, root, textOf } from "@/lib/mcp/testing/test-pool";
import { RateLimit } from "./sampling";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const dreamer = { command: "node", args: [join(root, "lib/mcp/testing/task-server.mjs"), "none.json"] };

async function setUp() {
  const { pool, ready, close } = await openPool({
    everything: { ...npmServer("server-everything"), sampling: true },
    silent: npmServer("server-everything"),
    desk: { ...dreamer, sampling: true },
    denied: dreamer,
  });
  closing.push(close);
  await Promise.all(["everything", "silent", "desk", "denied"].map(ready));
  return pool;
}

const written = {
  role: "assistant",
  model: "demo/demo",
  stopReason: "endTurn",
  content: { type: "text", text: "Snow on the roof." },
};

test("off unless the entry says so: the server does not hear of it", async () => {
  const pool = await setUp();
  const offers = (name: string) => pool.server(name)?.tools.map((tool) => tool.name);
  expect(offers("everything")).toContain("trigger-sampling-request");
  expect(offers("silent")).not.toContain("trigger-sampling-request");
  // One that asks all the same, on the wire where it need not declare it.
  const result = await askedCall(pool, "denied__dream").run();
  expect(result).toMatchObject({ status: "error" });
  expect("content" in result && textOf(result)).toContain("does not allow");
});

test("2025-11-25: nothing is written before a person agrees, and what they change counts", async () => {
  const pool = await setUp();
  const sample = vi.fn(async () => written);
  const { run, answer, ofType } = askedCall(pool, "everything__trigger-sampling-request", {
    args: { prompt: "a haiku", maxTokens: 60 },
    sample,
  });
  expect(await run()).toEqual({ waiting: "awaiting_approval" });
  const [asked] = ofType("approval_request");
  expect(asked).toMatchObject({
    reason: "sampling",
    call: { server: "everything", args: { systemPrompt: "You are a helpful test server.", maxTokens: 60 } },
  });
  expect(sample).not.toHaveBeenCalled();
  answer({ decision: "approve", args: { ...asked?.call.args, maxTokens: 20 } });
  const result = await run();
  expect("content" in result && textOf(result)).toContain("Snow on the roof.");
  expect(sample).toHaveBeenCalledTimes(1);
  expect(sample).toHaveBeenCalledWith(expect.objectContaining({ maxTokens: 20 }), expect.anything());
});

test("2025-11-25: declined, the server is told so", async () => {
  const pool = await setUp();
  const { run, answer } = askedCall(pool, "everything__trigger-sampling-request", {
    args: { prompt: "a haiku" },
    sample: async () => written,
  });
  await run();
  answer({ decision: "deny" });
  const result = await run();
  expect("content" in result && textOf(result)).toContain("The user declined the sampling request.");
});

test("2025-11-25: a model that fails is told to the server in its words", async () => {
  const pool = await setUp();
  const { run, answer } = askedCall(pool, "everything__trigger-sampling-request", {
    args: { prompt: "a haiku" },
    sample: () => Promise.reject(new Error("The budget of this run is used up (tokens).")),
  });
  await run();
  answer({ decision: "approve" });
  const result = await run();
  expect("content" in result && textOf(result)).toContain("The budget of this run is used up");
});

test("2026-07-28: the call is sent again with what the model has written", async () => {
  const pool = await setUp();
  const { run, answer, chunks } = askedCall(pool, "desk__dream", { sample: async () => written });
  expect(await run()).toEqual({ waiting: "awaiting_approval" });
  expect(await run()).toEqual({ waiting: "awaiting_approval" });
  answer({ decision: "approve" });
  const result = await run();
  expect("content" in result && textOf(result)).toContain("Snow on the roof.");
  expect(chunks.filter(({ type }) => type === "approval_request")).toHaveLength(1);
});

test("2026-07-28: declined, the call comes to no end", async () => {
  const pool = await setUp();
  const sample = vi.fn(async () => written);
  const { run, answer } = askedCall(pool, "desk__dream", { sample });
  await run();
  answer({ decision: "deny" });
  expect(await run()).toMatchObject({ status: "error" });
  expect(sample).not.toHaveBeenCalled();
});

test("more than ten requests a minute are turned away", async () => {
  const limit = new RateLimit(10);
  expect(Array.from({ length: 12 }, () => limit.take(1_000)).filter(Boolean)).toHaveLength(10);
  expect(limit.take(62_000)).toBe(true);
  const pool = await setUp();
  for (let at = 0; at < 10; at++)
    expect(await askedCall(pool, "desk__dream").run()).toHaveProperty("waiting");
  const result = await askedCall(pool, "desk__dream").run();
  expect("content" in result && textOf(result)).toContain("more than 10 times a minute");
});
