import { afterEach, expect, test } from "vitest";
import { askedCall } from "@/lib/mcp/testing/asked-call";
import { npmServer, openPool, textOf } from "@/lib/mcp/testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(tool: string) {
  const { pool, ready, close } = await openPool({ everything: npmServer("server-everything") });
  closing.push(close);
  await ready("everything");
  return askedCall(pool, `everything__${tool}`);
}

test("a form: the call waits for the person, is joined by the next run, and fields that were left out get their defaults", async () => {
  const { run, answer, chunks } = await setUp("trigger-elicitation-request");
  expect(await run()).toEqual({ waiting: "awaiting_input" });
  expect(chunks.map(({ type }) => type)).toEqual(["tool_start", "input_request"]);
  expect(chunks[1]).toMatchObject({
    server: "everything",
    mode: "form",
    schema: { type: "object", required: ["name"] },
  });
  // Another run that looks after it, before there is an answer: asked once, not twice.
  expect(await run()).toEqual({ waiting: "awaiting_input" });
  expect(chunks).toHaveLength(2);
  answer({ input: { action: "accept", content: { name: "Ada" } } });
  const result = await run();
  expect(result).toMatchObject({ status: "ok" });
  const text = "content" in result ? textOf(result) : "";
  expect(text).toContain("Ada");
  expect(chunks.filter(({ type }) => type === "tool_start")).toHaveLength(1);
});

test.each(["decline", "cancel"] as const)("a person can %s", async (action) => {
  const { run, answer } = await setUp("trigger-elicitation-request");
  await run();
  answer({ input: { action } });
  const result = await run();
  expect("content" in result && JSON.stringify(result.content)).toMatch(
    action === "decline" ? /declined/ : /cancel/,
  );
});

test("Stop while it waits lets the call go, and the server is told", async () => {
  const { run, stop } = await setUp("trigger-elicitation-request");
  await run();
  const again = run();
  stop.abort();
  await again;
  expect(await run()).toMatchObject({ status: "error" });
});
