import { afterEach, expect, test } from "vitest";
import { delta, ending, type PlainServer, startPlainServer } from "@/lib/providers/testing/plain-server";
import { callsOf, collect, tool, turn, user } from "@/lib/providers/testing/turn";

let server: PlainServer | undefined;
afterEach(() => server?.close());

type Piece = Record<string, unknown>;

async function read(events: Piece[][], reason = "tool_calls") {
  const body = events.map((tool_calls) => delta({ tool_calls })).join("") + ending(reason);
  server = await startPlainServer({ body });
  return collect(server.provider, turn([user("Go")], { tools: [tool("a__x")] }));
}

const called = (name: string | null, args: unknown, labels: Piece = {}): Piece => ({
  ...labels,
  type: "function",
  function: { ...(name !== null && { name }), arguments: args },
});
const more = (args: string, labels: Piece = {}) => called(null, args, labels);

test.each<[what: string, events: Piece[][], calls: [name: string, args: object][]]>([
  [
    "pieces with their index",
    [
      [called("a__x", "", { index: 0, id: "a" })],
      [more('{"n"', { index: 0 })],
      [more(":1}", { index: 0 })],
      [called("a__y", "", { index: 1, id: "b" })],
      [more('{"n":2}', { index: 1 })],
    ],
    [
      ["a__x", { n: 1 }],
      ["a__y", { n: 2 }],
    ],
  ],
  [
    "pieces of two calls in turns",
    [
      [called("a__x", '{"n"', { index: 0, id: "a" }), called("a__y", '{"n"', { index: 1, id: "b" })],
      [more(":2}", { index: 1 }), more(":1}", { index: 0 })],
    ],
    [
      ["a__x", { n: 1 }],
      ["a__y", { n: 2 }],
    ],
  ],
  [
    "whole at once, the second first",
    [[called("a__y", "{}", { index: 1, id: "b" })], [called("a__x", "{}", { index: 0, id: "a" })]],
    [
      ["a__x", {}],
      ["a__y", {}],
    ],
  ],
  [
    "whole at once, without an index",
    [[called("a__x", '{"n":1}', { id: "a" })], [called("a__x", '{"n":2}', { id: "b" })]],
    [
      ["a__x", { n: 1 }],
      ["a__x", { n: 2 }],
    ],
  ],
  [
    "whole at once, without an index or an id",
    [[called("a__x", '{"n":1}'), called("a__x", '{"n":2}')]],
    [
      ["a__x", { n: 1 }],
      ["a__x", { n: 2 }],
    ],
  ],
  ["pieces without an index", [[called("a__x", '{"n"', { id: "a" })], [more(":1}")]], [["a__x", { n: 1 }]]],
  [
    "pieces that get their index late",
    [[called("a__x", "")], [more('{"n"', { index: 0 })], [more(":1}", { index: 0 })]],
    [["a__x", { n: 1 }]],
  ],
  [
    "pieces without an index that repeat id and name",
    [[called("a__x", '{"n"', { id: "a" })], [called("a__x", ":1}", { id: "a" })]],
    [["a__x", { n: 1 }]],
  ],
  [
    "pieces that repeat index, id and name",
    [
      [called("a__x", '{"o"', { index: 0, id: "a" })],
      [called("a__x", ":", { index: 0, id: "a" })],
      [called("a__x", '{"n":1}', { index: 0, id: "a" })],
      [called("a__x", "}", { index: 0, id: "a" })],
    ],
    [["a__x", { o: { n: 1 } }]],
  ],
  [
    "all with the same index, whole",
    [[called("a__x", '{"n":1}', { index: 0, id: "a" }), called("a__x", '{"n":2}', { index: 0, id: "b" })]],
    [
      ["a__x", { n: 1 }],
      ["a__x", { n: 2 }],
    ],
  ],
  [
    "all with the same index, in pieces",
    [
      [called("a__x", "", { index: 0, id: "a" })],
      [more('{"n":1}', { index: 0 })],
      [called("a__x", "", { index: 0, id: "b" })],
      [more('{"n":2}', { index: 0 })],
    ],
    [
      ["a__x", { n: 1 }],
      ["a__x", { n: 2 }],
    ],
  ],
  [
    "all with the same index, the first without arguments",
    [[called("a__x", "", { index: 0, id: "a" })], [called("a__x", '{"n":2}', { index: 0, id: "b" })]],
    [
      ["a__x", {}],
      ["a__x", { n: 2 }],
    ],
  ],
  [
    "the same id for two calls",
    [[called("a__x", '{"n":1}', { index: 0, id: "a" }), called("a__x", '{"n":2}', { index: 1, id: "a" })]],
    [
      ["a__x", { n: 1 }],
      ["a__x", { n: 2 }],
    ],
  ],
  [
    "an id that changes with each piece",
    [[called("a__x", '{"n"', { index: 0, id: "a" })], [more(":1}", { index: 0, id: "b" })]],
    [["a__x", { n: 1 }]],
  ],
  [
    "empty ids and names after the first piece",
    [[called("a__x", '{"n"', { index: 0, id: "a" })], [called("", ":1}", { index: 0, id: "" })]],
    [["a__x", { n: 1 }]],
  ],
  [
    "the name after the arguments have begun",
    [[more('{"n"', { index: 0, id: "a" })], [called("a__x", ":1}", { index: 0 })]],
    [["a__x", { n: 1 }]],
  ],
  ["arguments as an object", [[called("a__x", { n: 1 }, { index: 0, id: "a" })]], [["a__x", { n: 1 }]]],
  ["no arguments", [[called("a__x", null, { index: 0, id: "a" })]], [["a__x", {}]]],
  [
    "pieces that say nothing",
    [[called("a__x", '{"n":1}', { index: 0, id: "a" })], [{ index: 0 }, { index: 7, function: null }]],
    [["a__x", { n: 1 }]],
  ],
])("calls come out whole: %s", async (_what, events, calls) => {
  const { chunks, error } = await read(events);
  expect(error).toBeUndefined();
  expect(callsOf(chunks).map(({ name, args }) => [name, args])).toEqual(calls);
  const ids = callsOf(chunks).map(({ id }) => id);
  expect(new Set(ids).size).toBe(calls.length);
  expect(ids.every((id) => /^call_[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(chunks.at(-1)).toMatchObject({ type: "usage", stopReason: "tool_use" });
  // What was told in the making adds up to each call, under its id and name.
  const told = callsOf(chunks).map(({ id, name }) =>
    chunks.map((chunk) =>
      chunk.type === "tool_input" && chunk.id === id && chunk.name === name ? chunk.content : "",
    ),
  );
  expect(told.map((pieces) => JSON.parse(pieces.join("") || "{}"))).toEqual(calls.map(([, args]) => args));
});

test("a call without a name cannot be run, and is said to be", async () => {
  const { chunks, error } = await read([[more('{"n":1}', { index: 0, id: "a" })]]);
  expect(callsOf(chunks)).toEqual([]);
  expect(error).toMatchObject({ code: "bad_response", message: expect.stringContaining("without a name") });
});

test("a signature of Gemini is kept with its call, marked, and goes back", async () => {
  const signed = { extra_content: { google: { thought_signature: "token" } } };
  const { chunks } = await read([[{ ...called("a__x", "{}", { index: 0, id: "a" }), ...signed }]]);
  const [call] = callsOf(chunks);
  expect(call).toMatchObject({ signature: "openai:token" });
});

test("calls without end are not kept", async () => {
  const calls = Array.from({ length: 1_001 }, (_, index) => called("a__x", "{}", { index, id: `${index}` }));
  const { error } = await read([calls]);
  expect(error).toMatchObject({ code: "bad_response", message: expect.stringContaining("have no end") });
});
