import { expect, test } from "vitest";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { faulty, fixture, textOf } from "@/lib/mcp/testing/test-pool";
import type { StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";

const kinds = (chunks: readonly StepChunk[]) =>
  chunks
    .map((chunk) => (chunk.type === "tool_progress" ? `progress ${chunk.progress}` : chunk.type))
    .join(", ");
const callOf = (name: string, args: Record<string, unknown> = {}): ToolCall => ({
  ...{ type: "tool_call", id: "call-x" as ToolCallId, name, args },
});

test("the intent is stored before the call, and progress comes before the result", async () => {
  const { ready, run } = await startPool({ burst: fixture("burst") });
  await ready("burst");
  const { result, chunks } = await run("burst__steps", { a: 1 });
  expect(textOf(result)).toBe("done");
  expect(chunks[0]).toEqual({ type: "tool_start", id: result.id, args: { a: 1 } });
  // Of two reports within 100 ms only the later one is passed on, so on a busy machine one may be missing.
  expect(kinds(chunks)).toMatch(/^tool_start, progress 1(, progress [234])*, progress 5$/);
  const told = chunks.flatMap((chunk) => (chunk.type === "tool_progress" ? chunk.progress : []));
  expect(told).toEqual(told.toSorted((a, b) => a - b));
});

test("of a burst of progress in one piece with the result, the first and the newest arrive", async () => {
  const { ready, run } = await startPool({ burst: fixture("burst") });
  await ready("burst");
  const { result, chunks } = await run("burst__burst");
  expect(textOf(result)).toBe("done");
  expect(kinds(chunks)).toBe("tool_start, progress 1, progress 5");
});

test("Stop gives the call up at once and tells the server", async () => {
  const { ready, run } = await startPool({ cancel: fixture("cancel") });
  await ready("cancel");
  const stop = new AbortController();
  const running = run("cancel__endless", {}, stop.signal);
  setTimeout(() => stop.abort(), 100);
  const { result, chunks } = await running;
  expect(kinds(chunks)).toBe("tool_start");
  expect(result.status).toBe("unknown");
  expect(textOf((await run("cancel__cancelled")).result)).toContain("given up");
});

test("a call that is stopped before it was sent is not sent", async () => {
  const { ready, pool } = await startPool({ plain: fixture("plain") });
  await ready("plain");
  const stop = new AbortController();
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const emit = async () => stop.abort();
  const result = (await box.call(callOf("plain__echo"), { signal: stop.signal, emit })) as ToolResult;
  expect(result.status).toBe("error");
  expect(textOf(result)).toBe("Not run: stopped before it was sent.");
  expect(pool.logs("plain").some((line) => line.text.includes("tools/call"))).toBe(false);
});

test("a call that is stopped while it waits for a listing is not sent", async () => {
  const { ready, run, pool } = await startPool({ undecided: fixture("undecided") });
  await ready("undecided");
  await run("undecided__change");
  const stop = new AbortController();
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const emit = async () => void setImmediate(() => stop.abort());
  const result = (await box.call(callOf("undecided__echo"), { signal: stop.signal, emit })) as ToolResult;
  expect(result.status).toBe("error");
  expect(textOf(result)).toBe("Not run: stopped before it was sent.");
  expect(pool.logs("undecided").some((line) => line.text.includes("tools/call echo"))).toBe(false);
});

test("a call whose intent cannot be stored is not sent", async () => {
  const { ready, pool } = await startPool({ plain: fixture("plain") });
  await ready("plain");
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const emit = () => Promise.reject(new Error("The reader of the run has gone."));
  const signal = new AbortController().signal;
  expect(await box.call(callOf("plain__echo"), { signal, emit })).toMatchObject({ status: "error" });
  expect(pool.logs("plain").some((line) => line.text.includes("tools/call"))).toBe(false);
});

test("a call without an answer ends at its deadline, with an unknown outcome", async () => {
  const { ready, run } = await startPool({ cancel: { ...fixture("cancel"), timeout: 200 } });
  await ready("cancel");
  const { result } = await run("cancel__endless");
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe("cancel did not answer within 0.2 s and was told to stop.");
  expect(textOf((await run("cancel__cancelled")).result)).toContain("Time is up");
});

test("progress puts the deadline off", async () => {
  const { ready, run } = await startPool({
    drip: { ...faulty("progress"), timeout: 1_000 },
    clock: { ...fixture("cancel"), timeout: 2_500 },
  });
  await Promise.all([ready("drip"), ready("clock")]);
  const stop = new AbortController();
  const ended: string[] = [];
  const dripping = run("drip__drip", {}, stop.signal).then(() => ended.push("drip"));
  await run("clock__endless").then(() => ended.push("clock"));
  expect(ended).toEqual(["clock"]);
  stop.abort();
  await dripping;
});

test("a call in flight is joined, never sent twice", async () => {
  const { ready, pool } = await startPool({ plain: fixture("plain") });
  await ready("plain");
  const inFlight = new InFlightCalls();
  const box = pool.toolBox({ open: new Map(), inFlight });
  const emitted: string[] = [];
  const emit = async (chunk: StepChunk) => void emitted.push(chunk.type);
  const context = { signal: new AbortController().signal, emit };
  const first = box.call(callOf("plain__wait", { ms: 200 }), context);
  expect(inFlight.has("call-x")).toBe(true);
  const second = box.call(callOf("plain__wait", { ms: 200 }), context);
  expect(await second).toEqual(await first);
  expect(emitted).toEqual(["tool_start"]);
  expect(inFlight.has("call-x")).toBe(false);
  expect(pool.logs("plain").filter((line) => line.text.includes("→ tools/call"))).toHaveLength(1);
});

test("a released call ends with an unknown outcome", async () => {
  const { ready, pool, until } = await startPool({ cancel: fixture("cancel") });
  await ready("cancel");
  const inFlight = new InFlightCalls();
  const box = pool.toolBox({ open: new Map(), inFlight });
  const sent = Promise.withResolvers<void>();
  const emit = async () => setTimeout(sent.resolve, 50) as never;
  const result = box.call(callOf("cancel__endless"), { signal: new AbortController().signal, emit });
  await sent.promise;
  inFlight.release("call-x");
  expect(await result).toMatchObject({ status: "unknown" });
  expect(inFlight.has("call-x")).toBe(false);
  await until(() => true);
});

test("a pinned read-only call that broke is repeated once; any other never", async () => {
  const { ready, run, folder } = await startPool({ crasher: fixture("crasher") });
  await ready("crasher");
  const { result, chunks } = await run("crasher__look", { file: `${folder}/looks` });
  expect(result).toMatchObject({ status: "ok" });
  expect(textOf(result)).toBe("seen at the second look");
  expect(kinds(chunks)).toBe("tool_start");
  const { readFile } = await import("node:fs/promises");
  expect(await readFile(`${folder}/looks`, "utf8")).toBe("xx");
  expect((await run("crasher__crash", { file: `${folder}/crashes` })).result.status).toBe("unknown");
  expect(await readFile(`${folder}/crashes`, "utf8")).toBe("x");
});

test("a result keeps at most 1 MB, and says what is missing", async () => {
  const { ready, run, until, pool } = await startPool({ huge: fixture("huge") });
  await ready("huge");
  const long = textOf((await run("huge__long")).result);
  expect(Buffer.byteLength(long)).toBeLessThan(1024 * 1024 + 200);
  expect(long).toMatch(/[長い]\n\[Cut here: this text has 3\.4 MB, and one result keeps at most 1 MB\.\]$/);
  const image = (await run("huge__image")).result;
  expect(image.content).toEqual([
    { type: "text", text: "[Left out: image/png of 10.0 MB, over the limit of 8 MB for one result.]" },
    { type: "text", text: "a picture" },
  ]);
  const message = (await run("huge__message")).result;
  expect(message.status).toBe("unknown");
  await until(() => pool.server("huge")?.status === "ready");
});

test.each(["refuser", "refuser-modern"])(
  "a tool's own failure and an error of the protocol both reach the model, told apart (%s)",
  async (way) => {
    const { ready, run, pool } = await startPool({ shelf: fixture(way) });
    await ready("shelf");
    const failed = (await run("shelf__fail")).result;
    expect(failed).toMatchObject({ status: "error", content: [{ text: "The shelf is empty." }] });
    const refused = (await run("shelf__refuse")).result;
    expect(refused.status).toBe("error");
    expect(textOf(refused)).toBe(
      "The server answered with an error: The shelf has fallen over. (code -32050).",
    );
    expect(pool.server("shelf")).toMatchObject({ status: "ready", lastError: null });
  },
);

test("a tool that nobody offers is answered with the list of tools", async () => {
  const { ready, run } = await startPool({ plain: { ...fixture("plain"), disabledTools: ["wait"] } });
  await ready("plain");
  const { result, chunks } = await run("plain__wait");
  expect(chunks).toEqual([]);
  expect(result.status).toBe("error");
  expect(textOf(result)).toBe(
    "There is no tool plain__wait. The tools are: plain__echo, plain__environment.",
  );
});

test("a tool box offers the tools of the named servers only", async () => {
  const { ready, pool } = await startPool({ a: fixture("plain"), b: fixture("plain") });
  await Promise.all([ready("a"), ready("b")]);
  const box = pool.toolBox({ servers: ["b"], open: new Map(), inFlight: new InFlightCalls() });
  expect(box.list().map((tool) => tool.name)).toEqual(["b__echo", "b__environment", "b__wait"]);
  expect(pool.instructions(["a"])).toEqual([{ server: "a", text: "Be kind to plain." }]);
});

test("a tool is tried by hand", async () => {
  const { ready, pool } = await startPool({ plain: fixture("plain") });
  await ready("plain");
  const signal = new AbortController().signal;
  const result = await pool.call("plain", "echo", { a: 1 }, signal);
  expect(result).toMatchObject({ status: "ok", durationMs: expect.any(Number) });
  await expect(pool.call("plain", "nothing", {}, signal)).rejects.toMatchObject({ code: "not_found" });
  await expect(pool.call("nobody", "echo", {}, signal)).rejects.toMatchObject({ code: "not_found" });
});
