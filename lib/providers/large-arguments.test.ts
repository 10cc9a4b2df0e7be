import { afterEach, expect, test } from "vitest";
import { type AdapterName, openAdapter } from "./testing/adapters";
import { callTools, hang, raw, type Step, say } from "./testing/steps";
import { callsOf, collect, tool, turn, user } from "./testing/turn";
import type { WireServer } from "./testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

async function ask(name: AdapterName, ...script: Step[][]) {
  const opened = await openAdapter(name, script);
  server = opened.server;
  return collect(opened.provider, turn([user("Hi")], { tools: [tool("a__one")] }));
}

/** JSON of so many objects within each other. */
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

test.each(["openai", "responses", "ollama", "anthropic"] as const)(
  "%s: arguments without end are read no further than their limit, and the turn ends with a call that is refused",
  async (name) => {
    const written = `{"text":"${"x".repeat(3_000_000)}"}`;
    const { chunks, error } = await ask(name, [callTools({ name: "a__one", written }), hang]);
    expect(error).toBeUndefined();
    const [call] = callsOf(chunks);
    expect(call).toMatchObject({ name: "a__one", args: {}, excess: "size" });
    expect(call?.malformed?.length).toBeLessThanOrEqual(500);
    expect(chunks.some((chunk) => chunk.type === "tool_input" && chunk.id === call?.id)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ type: "usage", stopReason: "tool_use" });
    // Nobody says what it took: it is estimated rather than free.
    expect(chunks.at(-1)).toMatchObject({
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
    });
    const last = chunks.at(-1);
    expect(last?.type === "usage" && last.outputTokens).toBeGreaterThan(250_000);
  },
);

test("calls that come whole are counted together", async () => {
  const half = { name: "a__one", args: { text: "x".repeat(600_000) } };
  const { chunks } = await ask("google", [callTools(half, half)]);
  expect(callsOf(chunks)).toMatchObject([half, { args: {}, excess: "size" }]);
  expect(chunks.at(-1)).toMatchObject({ inputTokens: 10, outputTokens: 5 });
});

test("calls beside one that is too large are not taken for whole", async () => {
  const written = `{"text":"${"x".repeat(3_000_000)}"}`;
  const { chunks } = await ask("openai", [callTools({ name: "a__one" }, { name: "a__one", written }), hang]);
  expect(callsOf(chunks)).toMatchObject([{ excess: "size" }, { excess: "size" }]);
});

test.each(["openai", "responses", "ollama", "anthropic"] as const)(
  "%s: arguments that are nested too deep are refused",
  async (name) => {
    const calls = [50_000, 101, 100].map((levels) => ({ name: "a__one", written: nested(levels) }));
    const { chunks, error } = await ask(name, [callTools(...calls)]);
    expect(error).toBeUndefined();
    expect(callsOf(chunks)).toMatchObject([{ excess: "depth" }, { excess: "depth" }, { args: { a: {} } }]);
    expect(() => JSON.stringify(chunks)).not.toThrow();
  },
);

test("google: arguments that are nested too deep fail the turn by name", async () => {
  const part = `{"functionCall":{"name":"a__one","args":${nested(50_000)}}}`;
  const { error } = await ask("google", [
    raw(`data: {"candidates":[{"content":{"role":"model","parts":[${part}]}}]}\n\n`),
  ]);
  expect(error).toMatchObject({ name: "ProviderError" });
});

test("prompted JSON: a call that is nested too deep is asked for once more, with the reason", async () => {
  const { chunks, error } = await ask(
    "prompted JSON",
    [callTools({ name: "a__one", written: nested(50_000) })],
    [say("Here I am.")],
  );
  expect(error).toBeUndefined();
  expect(chunks).toContainEqual(
    expect.objectContaining({
      kind: "repair",
      message: expect.stringContaining("nested deeper than 100 levels"),
    }),
  );
  expect(chunks.at(-1)).toMatchObject({ stopReason: "end_turn" });
});

test("brackets within texts are no levels", async () => {
  const args = { text: '\\"[{'.repeat(500) };
  const { chunks } = await ask("openai", [callTools({ name: "a__one", args })]);
  expect(callsOf(chunks)).toMatchObject([{ args }]);
});
