import { expect, test } from "vitest";
import type { ChatMessage } from "@/lib/protocol/message";
import type { ToolBox, ToolSpec } from "./ports";
import { call, ok, run, scriptedProvider, stop, text, toolCall, user } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { findToolsName, withToolSelection } from "./with-tool-selection";

const spec = (name: string, description = `Does ${name}.`): ToolSpec => ({
  name,
  description,
  inputSchema: { type: "object", properties: {} },
});
const many = [
  ...Array.from({ length: 50 }, (_, at) => spec(`files__tool_${at}`)),
  spec("mail__send", "Sends an e-mail to somebody."),
  spec("mail__search", "Searches e-mails by words."),
];
const box = (specs: readonly ToolSpec[], called: string[] = []): ToolBox =>
  withIntents({
    list: () => specs,
    call: async ({ id, name }) => {
      called.push(name);
      return ok(id);
    },
  });
const names = (specs: readonly ToolSpec[]) => specs.map(({ name }) => name);
const options = { window: undefined, history: [] };

test("a few tools are all described; from 41 on, or 5 % of the window, a search stands in their place", () => {
  expect(names(withToolSelection(box(many.slice(0, 40)), options).list())).toHaveLength(40);
  expect(names(withToolSelection(box(many), options).list())).toEqual([findToolsName]);
  const few = many.slice(0, 10);
  expect(names(withToolSelection(box(few), { ...options, window: 100_000 }).list())).toHaveLength(10);
  expect(names(withToolSelection(box(few), { ...options, window: 2_000 }).list())).toEqual([findToolsName]);
});

test("what the model finds is described from its next turn on, and can be called", async () => {
  const called: string[] = [];
  const provider = scriptedProvider(
    [call("a", findToolsName, { query: "send an e-mail" }), stop("tool_use")],
    [call("b", "mail__send"), stop("tool_use")],
    [text("Sent."), stop("end_turn")],
  );
  const { result, kinds } = await run({ provider, tools: withToolSelection(box(many, called), options) });
  expect(kinds).toMatch(
    /^iteration tool_call usage tool_start tool_result iteration tool_call usage tool_start/,
  );
  expect(provider.turns.map(({ tools }) => names(tools))).toEqual([
    [findToolsName],
    [findToolsName, "mail__send", "mail__search"],
    [findToolsName, "mail__send", "mail__search"],
  ]);
  expect(provider.turns[2]?.tools).toBe(provider.turns[1]?.tools);
  expect(called).toEqual(["mail__send"]);
  expect(result.finalText).toBe("Sent.");
});

test("deferred tools are searched for, however few; the others are described, and count alone", async () => {
  const called: string[] = [];
  const deferred = (name: string) => name.startsWith("mail__");
  const specs = many.slice(-12);
  const files = names(specs.slice(0, 10));
  const provider = scriptedProvider(
    [call("a", findToolsName, { query: "send tool" }), stop("tool_use")],
    [call("b", "mail__send"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const tools = withToolSelection(box(specs, called), { ...options, deferred });
  await run({ provider, tools });
  const [first, second, third] = provider.turns.map(({ tools }) => tools);
  expect(names(first ?? [])).toEqual([findToolsName, ...files]);
  expect(first?.[0]?.description).toContain("2 more tools are connected that are not described here");
  expect(first?.[0]?.description).not.toContain("files__");
  expect(names(second ?? [])).toEqual([findToolsName, ...files, "mail__send"]);
  expect(third).toBe(second);
  expect(called).toEqual(["mail__send"]);
});

test("where the others alone are too many, all are searched for; a change of what is deferred counts at once", () => {
  const away = new Set(["mail__send"]);
  const tools = withToolSelection(box(many), { ...options, deferred: (name) => away.has(name) });
  expect(names(tools.list())).toEqual([findToolsName]);
  for (const { name } of many.slice(0, 50)) away.add(name);
  expect(names(tools.list())).toEqual([findToolsName, "mail__search"]);
  away.delete("mail__send");
  expect(names(tools.list())).toEqual([findToolsName, "mail__send", "mail__search"]);
});

test("a tool that is called by its name without a search runs", async () => {
  const called: string[] = [];
  const provider = scriptedProvider(
    [call("a", "files__tool_7"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  await run({ provider, tools: withToolSelection(box(many, called), options) });
  expect(called).toEqual(["files__tool_7"]);
});

test("a search without a hit says so, and one without words is told what is wrong", async () => {
  const provider = scriptedProvider(
    [call("a", findToolsName, { query: "zzz" }), call("b", findToolsName, {}), stop("tool_use")],
    [text("None."), stop("end_turn")],
  );
  const { result } = await run({ provider, tools: withToolSelection(box(many), options) });
  expect(result.historyDelta[1]).toMatchObject({
    results: [
      { status: "ok", content: [{ text: expect.stringContaining("No tool fits") }] },
      { status: "error", content: [{ text: expect.stringMatching(/^Not run: .*query/) }] },
    ],
  });
});

test("what the conversation has called or found before stays at hand", () => {
  const history: ChatMessage[] = [
    user("Send it"),
    {
      role: "assistant",
      parts: [toolCall("a", findToolsName, { query: "mail" }), toolCall("b", "files__tool_3")],
    },
    {
      role: "tool",
      results: [
        { ...ok(toolCall("a").id), structured: { tools: [{ name: "mail__send" }] } },
        ok(toolCall("b").id),
      ],
    },
  ];
  expect(names(withToolSelection(box(many), { window: undefined, history }).list())).toEqual([
    findToolsName,
    "files__tool_3",
    "mail__send",
  ]);
});

test("runs that offer the same get the same list, and any other one a list of its own", () => {
  const listOf = (specs: readonly ToolSpec[], more: object = {}) =>
    withToolSelection(box(specs), { ...options, ...more }).list();
  const first = listOf(many);
  expect(listOf([...many])).toBe(first);
  expect(listOf([...many.slice(1), spec("files__tool_0", "Does more.")])).not.toBe(first);
  const calls = [{ type: "tool_call" as const, id: "c" as never, name: "mail__send", args: {} }];
  expect(names(listOf(many, { history: [{ role: "assistant", parts: calls }] }))).toEqual([
    findToolsName,
    "mail__send",
  ]);
  // All of the few that are away are known in both, but the search names them.
  const few = many.slice(0, 3);
  const all = few.map(({ name }) => ({ type: "tool_call" as const, id: name as never, name, args: {} }));
  const history: ChatMessage[] = [{ role: "assistant", parts: all }];
  const [one] = listOf(few, { history, deferred: (name: string) => name.endsWith("0") });
  const [two] = listOf(few, { history, deferred: (name: string) => name.endsWith("1") });
  expect(one?.description).toContain("names: files__tool_0");
  expect(two?.description).toContain("names: files__tool_1");
});
