import { afterEach, expect, test } from "vitest";
import type { Answer, StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import { createFlights } from "./flights";
import { npmServer, openPool, textOf } from "./testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A call of server-everything as a run makes it, and as often as it has to be taken up again. */
async function setUp(tool: string) {
  const { pool, ready, close } = await openPool({ everything: npmServer("server-everything") });
  closing.push(close);
  await ready("everything");
  const open: OpenCalls = new Map();
  const chunks: StepChunk[] = [];
  const box = pool.toolBox({ open, flights: createFlights() });
  const id = "call_1" as ToolCallId;
  const emit = async (chunk: StepChunk) => {
    chunks.push(chunk);
    openCalls([chunk], open);
  };
  const call = { type: "tool_call" as const, id, name: `everything__${tool}`, args: {} };
  const stop = new AbortController();
  return {
    chunks,
    stop,
    run: () => box.call(call, { signal: stop.signal, emit }),
    answer: (input: NonNullable<Answer["input"]>) => {
      const asked = chunks.findLast((chunk) => chunk.type === "input_request");
      if (!asked) throw new Error("Nothing was asked.");
      openCalls([{ type: "answer", requestId: asked.requestId, id, answer: { input } }], open);
    },
  };
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
  answer({ action: "accept", content: { name: "Ada" } });
  const result = await run();
  expect(result).toMatchObject({ status: "ok" });
  const text = "content" in result ? textOf(result) : "";
  expect(text).toContain("Ada");
  expect(chunks.filter(({ type }) => type === "tool_start")).toHaveLength(1);
});

test.each(["decline", "cancel"] as const)("a person can %s", async (action) => {
  const { run, answer } = await setUp("trigger-elicitation-request");
  await run();
  answer({ action });
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
