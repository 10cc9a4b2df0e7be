import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { maxContextChoices } from "@/lib/protocol/context-choice";
import type { ModelRequest } from "@/lib/protocol/http";
import type { Ledger, LedgerKind, LedgerPart } from "@/lib/protocol/ledger";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
let script: Step[][] = [];
const model = await startOpenAiServer(() => script.shift() ?? [say("Fine.")], {});
afterAll(() => model.close());
withApplication({ one: fixture }, { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" });

let conversationId: string | undefined;
let runId = "";
beforeEach(async () => {
  script = [];
  conversationId = undefined;
  const rules = [{ pattern: "mcp:one:*", effect: "allow" }];
  await callApi("PATCH", "/api/settings", { models: { "openai/test-model": null }, rules });
});

const ask = async (text: string, ...turns: Step[][]) => {
  script = turns;
  const place = conversationId === undefined ? {} : { conversationId };
  const read = await readStream(await callApi("POST", "/api/chat", { message: { text }, ...place }));
  ({ conversationId, runId } = read);
  return read;
};
const echo = (...texts: string[]) =>
  callTools(...texts.map((text) => ({ name: "one__echo", args: { text } })));
const ledger = async (): Promise<Ledger> =>
  (await callApi("GET", `/api/conversations/${conversationId}/ledger`)).json();
const patch = (items: unknown) => callApi("PATCH", `/api/conversations/${conversationId}/ledger`, { items });
const choose = async (items: Record<string, unknown>): Promise<Ledger> => {
  const response = await patch(items);
  const body = await response.json();
  expect([response.status, body]).toEqual([200, expect.objectContaining({ model: "openai/test-model" })]);
  return body;
};
const partsOf = async (kind: LedgerKind): Promise<LedgerPart[]> =>
  (await ledger()).parts.filter((part) => part.kind === kind);
const idOf = (part: LedgerPart | undefined): string => part?.id ?? "";
const find = ({ parts }: Ledger, id: string) => parts.find((part) => part.id === id);

interface WireMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string }[];
}
/** What the model's server received, the newest request last; without the system prompt. */
const wire = (at = -1): WireMessage[] =>
  ((model.requests.at(at)?.body.messages ?? []) as WireMessage[]).filter(({ role }) => role !== "system");
const textOf = ({ content }: WireMessage): string =>
  typeof content === "string" ? content : JSON.stringify(content ?? "");
const sent = (at = -1) => wire(at).map(textOf).join("\n");
const toolsOf = (at: number) => (model.requests.at(at)?.body.tools ?? []) as { function: { name: string } }[];
/** Each message with calls is followed by their results, in this order. */
function expectWhole(at = -1) {
  const messages = wire(at);
  for (const [place, { tool_calls: calls = [] }] of messages.entries())
    expect(
      messages.slice(place + 1, place + 1 + calls.length).map((message) => message.tool_call_id),
    ).toEqual(calls.map(({ id }) => id));
}
const told = async (id: string, index: number): Promise<ModelRequest> =>
  (await callApi("GET", `/api/runs/${id}/requests/${index}`)).json();
/** A request is told in the words that the model's server received. */
async function expectTold(id: string, index: number, at = -1) {
  const { messages } = await told(id, index);
  const words = (messages ?? []).flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ content }) =>
          content.map((part) => ("text" in part ? part.text : "")).join("\n"),
        )
      : "parts" in message
        ? [message.parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("")]
        : [],
  );
  expect(words.map((text) => text.trim())).toEqual(
    wire(at).map((message) => textOf(message).replace(/^""$/, "").trim()),
  );
}

describe("what is left out", () => {
  test("a dropped result is a stand-in beside its call, which the model reads again by its id; taken back it is sent", async () => {
    await ask("Both", [echo("alpha ".repeat(90), "beta ".repeat(90))], [say("Done.")]);
    const [first, second] = await partsOf("result");
    const before = (await ledger()).tokens;
    const after = await choose({ [idOf(first)]: "dropped" });
    expect(find(after, idOf(first))).toMatchObject({ state: "dropped", full: first?.full });
    expect(find(after, idOf(second))).toMatchObject({ state: "kept" });
    expect(after.tokens).toBeLessThan(before - 50);

    const again = callTools({ name: "meguri__read_result", args: { id: idOf(first) } });
    await ask("And?", [again], [say("I read it.")]);
    expect(
      wire(-2)
        .filter(({ role }) => role === "tool")
        .map(textOf)
        .join(),
    ).not.toContain("alpha alpha");
    expect(sent(-2)).toContain(`meguri__read_result with id "${idOf(first)}"`);
    expect(sent(-2)).toContain("beta beta");
    expect(toolsOf(-2).map((tool) => tool.function.name)).toContain("meguri__read_result");
    expectWhole(-2);
    expect(textOf(wire().at(-1) as WireMessage)).toContain("alpha alpha");
    await expectTold(runId, 1, -2);
    await expectTold(runId, 2, -1);

    const old = runId;
    expect(find(await choose({ [idOf(first)]: "kept" }), idOf(first))).toMatchObject({ state: "kept" });
    await ask("Once more", [say("Yes.")]);
    expect(sent()).not.toContain("left this result out");
    await expectTold(runId, 1);
    // What an earlier run was sent is told as it was sent then.
    expect(JSON.stringify((await told(old, 1)).messages)).toContain("left this result out");
  });

  test("dropped messages of both sides keep their place, and calls stay with their results", async () => {
    await ask("My secret question", [say("Let me see."), echo("gamma")], [say("A long wrong answer.")]);
    const messages = await partsOf("message");
    expect(messages.map(({ by }) => by)).toEqual(["user", "assistant", "assistant"]);
    await choose(Object.fromEntries(messages.map(({ id }) => [id, "dropped"])));
    await ask("Next", [say("Ok.")]);
    expect(wire().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    expect(sent()).not.toMatch(/secret question|Let me see|long wrong answer/);
    expect(textOf(wire()[2] as WireMessage)).toContain("gamma");
    for (const { id } of messages) expect(sent()).toContain(`"${id}"`);
    expectWhole();
    await expectTold(runId, 1);
  });

  test("a trimmed result is sent from its beginning, a trimmed message too", async () => {
    await ask(
      `Start ${"of the question ".repeat(100)}finish`,
      [echo(`Begin ${"middle ".repeat(400)}end.`)],
      [say("Done.")],
    );
    const [result] = await partsOf("result");
    const [question] = await partsOf("message");
    const after = await choose({ [idOf(result)]: { trimmed: 50 }, [idOf(question)]: { trimmed: 20 } });
    for (const part of [result, question]) {
      const { state, tokens } = find(after, idOf(part)) as LedgerPart;
      expect(state).toEqual({ trimmed: tokens });
      expect(tokens).toBeLessThan(120);
    }
    await ask("And?", [say("Ok.")]);
    const received = wire().find(({ role }) => role === "tool") as WireMessage;
    expect(textOf(received)).toContain("Begin middle");
    expect(textOf(received)).not.toContain("end.");
    expect(textOf(wire()[0] as WireMessage)).toMatch(/^Start of the question/);
    expect(textOf(wire()[0] as WireMessage)).not.toContain("finish");
    await expectTold(runId, 1);
  });

  test("a dropped file is named, and comes whole when the model asks for it", async () => {
    const file = await callApi("POST", "/api/attachments", "Seven rows of numbers.", {
      "content-type": "text/plain",
      "x-filename": "rows.txt",
    });
    const { id } = await file.json();
    const message = { text: "Look", attachments: [{ id }] };
    ({ conversationId } = await readStream(await callApi("POST", "/api/chat", { message })));
    expect(sent()).toContain("Seven rows");
    expect(find(await choose({ [id]: "dropped" }), id)).toMatchObject({ state: "dropped", tokens: 0 });
    await ask("And?", [callTools({ name: "meguri__read_result", args: { id } })], [say("Seven.")]);
    expect(sent(-2)).not.toContain("Seven rows");
    expect(sent(-2)).toContain("file rows.txt");
    expect(sent()).toContain("Seven rows");
    await choose({ [id]: "kept" });
    await ask("Again");
    expect(sent()).toContain("Seven rows");
  });
});

describe("what is pinned", () => {
  const makeRoom = async (part: number) => {
    const { tokens } = await ledger();
    const window = Math.ceil((tokens * part) / 0.8);
    await callApi("PATCH", "/api/settings", { models: { "openai/test-model": { contextWindow: window } } });
  };

  test("trimming takes the other results", async () => {
    await ask("First", [echo("one ".repeat(3_000))], [say("One.")]);
    await ask("Second", [echo("two ".repeat(3_000))], [say("Two.")]);
    const [first] = await partsOf("result");
    await choose({ [idOf(first)]: "pinned" });
    await makeRoom(0.75);
    const parts = await partsOf("result");
    expect(parts.map(({ state }) => state)).toEqual(["pinned", { trimmed: parts[1]?.tokens }]);
    await ask("Third");
    const results = wire()
      .filter(({ role }) => role === "tool")
      .map(textOf);
    expect(results[0]).toContain("one one");
    expect(results[0]).not.toContain("left out to make room");
    expect(results[1]).toContain("left out to make room");
    await expectTold(runId, 1);
  });

  test("a summary leaves it in the request; what it took is sent again by kept, or all of it by a dropped summary", async () => {
    for (let at = 0; at < 6; at++) await ask(`${at} ${"text ".repeat(1_500)}`, [say(`Answer ${at}.`)]);
    const [first, , second] = await partsOf("message");
    await choose({ [idOf(first)]: "pinned" });
    await makeRoom(0.6);
    await ask("And now?", [say("What was said before.")], [say("Fine.")]);
    expect(textOf(wire()[0] as WireMessage)).toContain("What was said before.");
    expect(sent()).toContain("0 text text");
    expect(sent()).not.toContain("1 text text");
    await expectTold(runId, 1);
    await callApi("PATCH", "/api/settings", { models: { "openai/test-model": null } });

    const [summary] = await partsOf("summary");
    expect(summary?.replaces).toContain(idOf(second));
    expect(find(await ledger(), idOf(second))).toMatchObject({
      state: "dropped",
      tokens: 0,
      isReplaced: true,
    });
    expect(find(await choose({ [idOf(second)]: "kept" }), idOf(second))).toMatchObject({ state: "kept" });
    await ask("Again", [say("Fine.")]);
    expect(sent()).toContain("1 text text");
    expect(sent()).toContain("What was said before.");
    await expectTold(runId, 1);

    expect(find(await choose({ [idOf(summary)]: "dropped" }), idOf(summary))).toMatchObject({
      state: "dropped",
    });
    await ask("All", [say("Fine.")]);
    expect(sent()).not.toContain("What was said before.");
    for (let at = 0; at < 6; at++) expect(sent()).toContain(`${at} text text`);
    await expectTold(runId, 1);
    await choose({ [idOf(summary)]: "kept" });
    await ask("Short");
    expect(sent()).toContain("What was said before.");
    expect(sent()).not.toContain("2 text text");
  });

  test("a result is sent again with its round: the call, and stand-ins for the others", async () => {
    await ask("Both", [say("I look."), echo("alpha ".repeat(900), "beta ".repeat(900))], [say("Done.")]);
    for (let at = 0; at < 4; at++) await ask(`${at} ${"text ".repeat(1_500)}`, [say(`Answer ${at}.`)]);
    const [, beta] = await partsOf("result");
    await makeRoom(0.4);
    await ask("And now?", [say("What was said before.")], [say("Fine.")]);
    expect(sent()).not.toContain("beta beta");
    await callApi("PATCH", "/api/settings", { models: { "openai/test-model": null } });
    await choose({ [idOf(beta)]: "kept" });
    await ask("Again");
    expectWhole();
    const results = wire()
      .filter(({ role }) => role === "tool")
      .map(textOf);
    expect(results).toEqual([
      expect.stringContaining("left this result out"),
      expect.stringContaining("beta beta"),
    ]);
    await expectTold(runId, 1);
  });
});

describe("bad input changes nothing", () => {
  test("what is not there, or cannot be so, is named", async () => {
    await ask("Hi", [echo("alpha")], [say("Done.")]);
    const [result] = await partsOf("result");
    const refused = async (items: unknown) => {
      const response = await patch(items);
      return [response.status, (await response.json()).error?.message];
    };
    expect(await refused({ [idOf(result)]: "dropped", nothing: "dropped" })).toEqual([
      400,
      expect.stringContaining("items.nothing: is no message"),
    ]);
    expect(find(await ledger(), idOf(result))).toMatchObject({ state: "kept" });
    expect(await refused({ meguri: "dropped" })).toEqual([400, expect.stringContaining("items.meguri")]);
    expect(await refused({ [idOf(result)]: "gone" })).toEqual([400, expect.stringContaining(idOf(result))]);
    expect(await refused({ [idOf(result)]: { trimmed: 0 } })).toEqual([400, expect.any(String)]);
    expect(await refused({})).toEqual([400, expect.stringContaining("1 to 500")]);
    const many = Object.fromEntries(
      Array.from({ length: maxContextChoices + 1 }, (_, at) => [`m${at}`, "kept"]),
    );
    expect(await refused(many)).toEqual([400, expect.stringContaining("1 to 500")]);
    conversationId = "nothing";
    expect((await patch({ a: "kept" })).status).toBe(404);
  });
});

test("a temporary chat has it too; an export takes it along, and its import leaves out the same", async () => {
  const first = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "Hush" }, temporary: true }),
  );
  ({ conversationId } = first);
  const [question] = await partsOf("message");
  await choose({ [idOf(question)]: "dropped" });
  await ask("And?");
  expect(sent()).not.toContain("Hush");

  conversationId = undefined;
  await ask("Both", [echo("alpha ".repeat(90))], [say("Done.")]);
  const [result] = await partsOf("result");
  await choose({ [idOf(result)]: "dropped" });
  await ask("And?");
  const detail = await (await callApi("GET", `/api/conversations/${conversationId}`)).json();
  expect(JSON.stringify(detail.choice)).not.toContain("dropped");
  const file = await (await callApi("GET", `/api/conversations/${conversationId}/export?format=json`)).text();
  const other = file.replaceAll(String(conversationId), crypto.randomUUID());
  const response = await callApi("POST", "/api/conversations/import", other, {
    "content-type": "application/json",
  });
  const { conversationIds, ...rest } = await response.json();
  expect([conversationIds?.length, rest]).toEqual([1, expect.objectContaining({ imported: 1 })]);
  conversationId = conversationIds[0];
  expect(find(await ledger(), idOf(result))).toMatchObject({ state: "dropped" });
  await ask("There?");
  expect(
    wire()
      .filter(({ role }) => role === "tool")
      .map(textOf)
      .join(),
  ).not.toContain("alpha alpha");
});
