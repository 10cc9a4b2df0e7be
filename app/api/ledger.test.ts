import { afterAll, beforeEach, expect, test } from "vitest";
import { tokensOf } from "@/lib/protocol/count-tokens";
import type { Ledger, LedgerKind } from "@/lib/protocol/ledger";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
let script: Step[][] = [];
const model = await startOpenAiServer(() => script.shift() ?? [say("Fine.")], {});
afterAll(() => model.close());
withApplication({ one: fixture }, { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" });
beforeEach(async () => {
  script = [];
  await callApi("PATCH", "/api/settings", { models: { "openai/test-model": null }, rules: allow });
});

const allow = [{ pattern: "mcp:one:*", effect: "allow" }];
const ask = async (text: string, more: object = {}) => {
  const response = await callApi("POST", "/api/chat", { message: { text, ...more }, ...place() });
  expect(response.status).toBe(200);
  const read = await readStream(response);
  conversationId = read.conversationId;
  return read;
};
let conversationId: string | undefined;
const place = () => (conversationId === undefined ? {} : { conversationId });
const begin = () => {
  conversationId = undefined;
};
const read = async (query = ""): Promise<Ledger> => {
  const response = await callApi("GET", `/api/conversations/${conversationId}/ledger${query}`);
  expect(response.status).toBe(200);
  return response.json();
};
const tokens = ({ totals }: Ledger, kind: LedgerKind) => totals.find((total) => total.kind === kind)?.tokens;
const told = () =>
  String((model.requests.at(-1)?.body.messages as { content: string }[] | undefined)?.[0]?.content);
const echo = (text: string) => [callTools({ name: "one__echo", args: { text } })];

test("it holds what the next message sends: prompt, schemas by server, messages, results by tool, files by name", async () => {
  begin();
  await callApi("PATCH", "/api/settings", { instructions: "Use metric units." });
  const file = await callApi("POST", "/api/attachments", "Seven rows of numbers.", {
    "content-type": "text/plain",
    "x-filename": "rows.txt",
  });
  const { id } = await file.json();
  script = [echo("a long echo ".repeat(50)), [say("Done.")]];
  await ask("Echo this", { attachments: [{ id }] });
  const ledger = await read();
  expect(ledger.model).toBe("openai/test-model");
  expect(
    Math.abs((tokens(ledger, "system") ?? 0) + (tokens(ledger, "instructions") ?? 0) - tokensOf(told())),
  ).toBeLessThan(6);
  const of = (kind: LedgerKind) => ledger.parts.filter((part) => part.kind === kind);
  expect(of("instructions").map((part) => part.id)).toContain("settings");
  expect(of("schemas").map(({ server }) => server)).toContain("one");
  expect(of("result")).toMatchObject([{ server: "one", name: "echo", turn: 1, state: "kept" }]);
  expect(of("result")[0]?.tokens).toBeGreaterThan(100);
  expect(of("file")).toMatchObject([{ id, name: "rows.txt", turn: 1 }]);
  expect(of("message").length).toBe(3);
  expect(ledger.tokens).toBe(ledger.parts.reduce((sum, part) => sum + part.tokens, 0));
  const item = await (await callApi("GET", `/api/conversations/${conversationId}`)).json();
  expect(ledger.spent).toMatchObject({ inputTokens: item.runs[0].usage.inputTokens });
});

test("what is left out to fit says from how much it was cut, and what a summary stands for is dropped", async () => {
  begin();
  script = [echo("word ".repeat(4_000)), [say("One.")]];
  await ask("First");
  script = [echo("word ".repeat(3_000)), [say("Two.")]];
  await ask("Second");
  const whole = await read();
  expect(whole.window).toBeNull();
  expect(whole.parts.every(({ state }) => state === "kept")).toBe(true);

  const window = Math.ceil((whole.tokens - 2_000) / 0.8);
  await callApi("PATCH", "/api/settings", { models: { "openai/test-model": { contextWindow: window } } });
  const cut = await read();
  expect(cut).toMatchObject({ window, shortensAt: Math.floor(window * 0.8) });
  const [first] = cut.parts.filter(({ kind }) => kind === "result");
  expect(first?.full).toBeGreaterThan(4_000);
  expect(first?.tokens).toBeLessThan(100);
  expect(first?.state).toEqual({ trimmed: first?.tokens });
  expect(cut.tokens).toBeLessThanOrEqual(cut.shortensAt ?? 0);
  // It says what the run then does.
  await ask("Third");
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("This result was left out to make room");
});

test("a summary names what it stands for", async () => {
  begin();
  for (let at = 0; at < 6; at++) await ask(`${at} ${"text ".repeat(1_500)}`);
  const whole = await read();
  const window = Math.ceil((whole.tokens * 0.6) / 0.8);
  await callApi("PATCH", "/api/settings", { models: { "openai/test-model": { contextWindow: window } } });
  script = [[say("What was said before.")], [say("Fine.")]];
  await ask("And now?");
  const after = await read();
  const [summary] = after.parts.filter(({ kind }) => kind === "summary");
  expect(summary?.replaces?.length).toBeGreaterThan(2);
  const dropped = after.parts.filter(({ state }) => state === "dropped");
  expect(dropped.map(({ id }) => id)).toEqual(summary?.replaces);
  expect(dropped.every((part) => part.tokens === 0 && part.full > 0)).toBe(true);
});

test("another model is asked about by name; what is not there is named", async () => {
  begin();
  await ask("Hello");
  expect((await read("?model=demo%2Fdemo")).model).toBe("demo/demo");
  const refused = async (path: string) => {
    const response = await callApi("GET", `/api/conversations/${path}`);
    return [response.status, (await response.json()).error.code];
  };
  expect(await refused(`${conversationId}/ledger?model=openai%2F`)).toEqual([400, expect.any(String)]);
  expect(await refused(`${conversationId}/ledger?models=x`)).toEqual([400, "invalid_input"]);
  expect(await refused("nothing/ledger")).toEqual([404, "not_found"]);
});
