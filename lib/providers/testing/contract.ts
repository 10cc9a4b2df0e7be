import { afterEach, expect, test } from "vitest";
import { withRetry } from "@/lib/agent/with-retry";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { type Adapter, type AdapterName, adapters, openAdapter } from "./adapters";
import { callTools, fail, hang, type Step, say, think, usage } from "./steps";
import { callsOf, collect, kinds, textOf, tool, turn, user } from "./turn";
import type { WireOptions } from "./wire-request";
import type { WireServer } from "./wire-server";

const tools = [tool("a__one"), tool("a__two")];
const asked = (more = {}) => turn([user("Hi")], { tools, ...more });

/** What every adapter does with an answer that comes as it should, and with servers that are slow or busy. */
export function answersAsAgreed(name: AdapterName): void {
  let server: WireServer | undefined;
  afterEach(() => server?.close());

  async function open(script: Step[][], options?: WireOptions) {
    const opened = await openAdapter(name, script, options);
    server = opened.server;
    return opened;
  }

  test(`${name}: reasoning, text and usage come in order, and the usage ends the turn`, async () => {
    const { provider } = await open([[think("Let me see."), say("Hello there, friend."), usage(12, 7, 4)]]);
    const { chunks, error } = await collect(provider, asked());
    expect(error).toBeUndefined();
    expect(kinds(chunks)).toBe("reasoning text usage");
    expect(chunks.flatMap((chunk) => (chunk.type === "reasoning" ? chunk.content : [])).join("")).toBe(
      "Let me see.",
    );
    expect(textOf(chunks)).toBe("Hello there, friend.");
    expect(chunks.filter((chunk) => chunk.type === "text").length).toBeGreaterThan(1);
    expect(chunks.at(-1)).toEqual({
      type: "usage",
      stopReason: "end_turn",
      inputTokens: 12,
      outputTokens: 7,
      cachedInputTokens: 4,
    });
  });

  test(`${name}: parallel calls come whole and in order after what was said before them`, async () => {
    const { provider } = await open([
      [
        say("Both."),
        callTools({ name: "a__one", args: { 名: "値", deep: { list: [1, null] } } }, { name: "a__two" }),
      ],
    ]);
    const { chunks } = await collect(provider, asked());
    expect(kinds(chunks)).toBe("text tool_call tool_call usage");
    expect(callsOf(chunks)).toMatchObject([
      { name: "a__one", args: { 名: "値", deep: { list: [1, null] } } },
      { name: "a__two", args: {} },
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: "usage", stopReason: "tool_use" });
  });

  test(`${name}: what is told of arguments in the making adds up to the calls, under their ids`, async () => {
    const args = { path: "a/名.md", content: "One line.\nAnother." };
    const { provider } = await open([[callTools({ name: "a__one", args }, { name: "a__two", args })]]);
    const { chunks } = await collect(provider, asked());
    const calls = callsOf(chunks);
    expect(calls).toHaveLength(2);
    const pieces = Map.groupBy(
      chunks.filter((chunk) => chunk.type === "tool_input"),
      ({ id }) => id,
    );
    expect([...pieces.keys()]).toEqual(adapters[name].tellsArguments ? calls.map(({ id }) => id) : []);
    for (const [id, written] of pieces) {
      expect(written.length).toBeGreaterThan(2);
      expect(new Set(written.map((piece) => piece.name))).toEqual(
        new Set([calls.find((call) => call.id === id)?.name]),
      );
      expect(JSON.parse(written.map(({ content }) => content).join(""))).toEqual(args);
    }
  });

  test(`${name}: every call gets an id of ours, whatever the provider sends`, async () => {
    const { provider } = await open([
      [callTools({ name: "a__one", id: "same" }, { name: "a__one", id: "same" }, { name: "a__one", id: "" })],
    ]);
    const { chunks } = await collect(provider, asked());
    const ids = callsOf(chunks).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^call_[0-9a-f]{32}$/);
  });

  test.each((adapters[name] as Adapter).malformed)(
    `${name}: arguments that are no object are kept as written: %s`,
    async (written, malformed) => {
      const { provider } = await open([[callTools({ name: "a__one", written })]]);
      const { chunks } = await collect(provider, asked());
      expect(callsOf(chunks)).toMatchObject([{ name: "a__one", args: {}, malformed }]);
      expect(chunks.at(-1)).toMatchObject({ stopReason: "tool_use" });
    },
  );

  test(`${name}: a call of a tool that does not exist is passed on`, async () => {
    const { provider } = await open([[callTools({ name: "nobody__nothing", args: { n: 1 } })]]);
    const { chunks } = await collect(provider, asked());
    expect(callsOf(chunks)).toMatchObject([{ name: "nobody__nothing", args: { n: 1 } }]);
  });

  test(`${name}: an empty answer is a turn without pieces`, async () => {
    const { provider } = await open([[]]);
    const { chunks, error } = await collect(provider, asked());
    expect(error).toBeUndefined();
    expect(kinds(chunks)).toBe("usage");
    expect(chunks[0]).toMatchObject({ stopReason: "end_turn" });
  });

  test.each([
    { packetBytes: 1, lineEnd: "\n" as const },
    { packetBytes: 1, lineEnd: "\r\n" as const },
    { packetBytes: 7, lineEnd: "\r\n" as const },
  ])(
    `${name}: characters split between packets of $packetBytes bytes come out whole (%j)`,
    async (options) => {
      const steps = [say("日本語と絵文字🎌、", { pieces: 3 }), say("終わり。")];
      const { provider } = await open([steps], options);
      const { chunks } = await collect(provider, asked());
      expect(textOf(chunks)).toBe("日本語と絵文字🎌、終わり。");
    },
  );

  test(`${name}: a stall after the first words ends the turn and closes the request`, async () => {
    const { provider, server } = await open([[say("Half "), hang]]);
    const { chunks, error } = await collect(withTurnTimeouts(provider, 10_000, 50), asked());
    expect(textOf(chunks)).toBe("Half ");
    expect(error).toMatchObject({ name: "ProviderError", code: "timeout" });
    expect(await (await server.request(0)).ended).toBe("client gone");
  });

  test(`${name}: a short Retry-After is waited for, and the answer follows a notice`, async () => {
    const busy = fail(429, "Slow down", { headers: { "retry-after-ms": "20" } });
    const { provider, server } = await open([[busy], [say("Hi.")]]);
    const { chunks, error } = await collect(withRetry(provider), asked());
    expect(error).toBeUndefined();
    expect(kinds(chunks)).toBe("notice text usage");
    expect(server.requests).toHaveLength(2);
  });

  test(`${name}: a long Retry-After ends the turn at once and says how long it is`, async () => {
    const { provider, server } = await open([
      [fail(429, "Slow down", { headers: { "retry-after": "600" } })],
    ]);
    const { chunks, error } = await collect(withRetry(provider), asked());
    expect(chunks).toEqual([]);
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 600_000 });
    expect(server.requests).toHaveLength(1);
  });

  test(`${name}: a server's error before the first word is tried again, one after it is not`, async () => {
    const { provider, server } = await open([[fail(500, "oops")], [say("Hi.")]]);
    const { chunks } = await collect(withRetry(provider, { delayMs: 1 }), asked());
    expect(kinds(chunks)).toBe("notice text usage");
    expect(server.requests).toHaveLength(2);
  });
}
