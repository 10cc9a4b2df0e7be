import { describe, expect, test } from "vitest";
import { openCalls } from "@/lib/protocol/open-calls";
import type { ToolBox, ToolSpec } from "./ports";
import { ok, run, scriptedProvider, stop, text, toolCall } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { withApproval } from "./with-approval";
import { withArgumentChecks } from "./with-argument-checks";

const edit: Record<string, unknown> = {
  type: "object",
  properties: {
    path: { type: "string" },
    mode: { enum: ["append", "replace"] },
    edits: {
      type: "array",
      items: { type: "object", properties: { line: { type: "integer", minimum: 1 } } },
    },
  },
  required: ["path"],
  additionalProperties: false,
};

const spec = (name: string, inputSchema: Record<string, unknown> = {}): ToolSpec => ({
  name,
  description: "",
  inputSchema,
});

/** What the model reads of a call, and what reached the server. */
async function callTool(
  args: Record<string, unknown>,
  { name = "fs__edit", malformed, specs = [spec("fs__edit", edit)] }: CallOptions = {},
) {
  const sent: unknown[] = [];
  const server: ToolBox = {
    list: () => specs,
    call: async (call) => {
      sent.push(call.args);
      return ok(call.id, "edited");
    },
  };
  const call = { ...toolCall("a", name, args), ...(malformed !== undefined && { malformed }) };
  const provider = scriptedProvider(
    [{ type: "tool_call", call }, stop("tool_use")],
    [text("ok"), stop("end_turn")],
  );
  const { kinds, result } = await run({ provider, tools: withArgumentChecks(withIntents(server)) });
  const round = result.historyDelta[1];
  if (round?.role !== "tool") throw new Error("The round has no tool message.");
  const [answer] = round.results;
  const read = answer?.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { kinds, sent, status: answer?.status, read };
}

interface CallOptions {
  name?: string;
  malformed?: string;
  specs?: ToolSpec[];
}

const notSent = "iteration tool_call usage tool_result iteration text usage result";

test("a call that fits is sent", async () => {
  const { kinds, sent, status } = await callTool({ path: "x", mode: "append", edits: [{ line: 1 }] });
  expect(kinds).toBe("iteration tool_call usage tool_start tool_result iteration text usage result");
  expect(sent).toHaveLength(1);
  expect(status).toBe("ok");
});

test("an optional argument that is null is left out", async () => {
  expect(await callTool({ path: "x", mode: null, edits: null })).toMatchObject({
    sent: [{ path: "x" }],
    status: "ok",
  });
  // What has to be there, and what may be null, is not touched.
  expect(await callTool({ path: null, mode: null })).toMatchObject({ sent: [], status: "error" });
  const specs = [spec("fs__edit", { type: "object", properties: { mode: { type: ["string", "null"] } } })];
  expect(await callTool({ mode: null }, { specs })).toMatchObject({ sent: [{ mode: null }] });
});

test("of several arguments that are null only those are left out that may not be", async () => {
  const either = { type: ["string", "null"] };
  const properties = { parent: either, "a/b ~é": { type: "string" }, note: { anyOf: [either, false] } };
  const specs = [spec("fs__edit", { type: "object", properties, additionalProperties: { type: "number" } })];
  const args = { parent: null, "a/b ~é": null, note: null, other: null };
  expect((await callTool(args, { specs })).sent).toEqual([{ parent: null, note: null }]);
});

test("an argument that has to be there and has a default is put in, also further down", async () => {
  const viewport = {
    type: "object",
    properties: { width: { type: "integer", default: 1280 }, dpr: { type: "number", default: 1 } },
    required: ["width"],
  };
  const properties = {
    type: { enum: ["png", "jpeg"], default: "png" },
    sizes: { type: "array", items: viewport },
    full: { type: "boolean", default: false },
    url: { type: "string" },
  };
  const specs = [spec("fs__edit", { type: "object", properties, required: ["type", "url"] })];
  expect(await callTool({ url: "x", sizes: [{}, { width: 1 }] }, { specs })).toMatchObject({
    sent: [{ url: "x", sizes: [{ width: 1280 }, { width: 1 }], type: "png" }],
    status: "ok",
  });
  expect((await callTool({ url: "x", type: null }, { specs })).sent).toEqual([{ url: "x", type: "png" }]);
  // What has to be there and has none is still asked for, and a default that does not fit helps nobody.
  expect(await callTool({ type: "png" }, { specs })).toMatchObject({ sent: [], status: "error" });
  const wrong = [spec("fs__edit", { properties: { n: { type: "number", default: "1" } }, required: ["n"] })];
  expect(await callTool({}, { specs: wrong })).toMatchObject({ sent: [], status: "error" });
});

test("names that every object inherits are arguments like any other", async () => {
  const text = { type: "string", default: "as it was" };
  const properties = JSON.parse(`{"__proto__": ${JSON.stringify(text)}, "constructor": {"type": "string"}}`);
  const specs = [spec("fs__edit", { type: "object", properties, required: ["__proto__", "constructor"] })];
  const { sent } = await callTool({ constructor: "here" } as Record<string, unknown>, { specs });
  expect(JSON.stringify(sent)).toBe('[{"constructor":"here","__proto__":"as it was"}]');
});

describe("is not sent, and the model reads what is wrong:", () => {
  test("arguments that do not fit, each problem with its path", async () => {
    const { kinds, sent, status, read } = await callTool({
      mode: "delete",
      edits: [{ line: 1 }, { line: 0 }, "x"],
      force: true,
    });
    expect(kinds).toBe(notSent);
    expect(sent).toEqual([]);
    expect(status).toBe("error");
    expect(read).toBe(
      [
        "Not run: the arguments do not fit the schema of fs__edit.",
        '- arguments: Instance does not have required property "path".',
        '- /mode: Instance does not match any of ["append","replace"].',
        "- /edits/1/line: 0 is less than 1.",
        '- /edits/2: Instance type "string" is invalid. Expected "object".',
        "- /force: This property is not known.",
      ].join("\n"),
    );
  });

  test("more problems than anybody reads, the first of them", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, 1]));
    const { read } = await callTool({ path: "x", ...unknown });
    expect(read?.split("\n")).toHaveLength(12);
    expect(read).toMatch(/- and more$/);
  });

  test("fifteen thousand problems, in reasonable time", async () => {
    const edits = Array.from({ length: 15_000 }, () => ({ line: 0 }));
    const { read } = await callTool({ path: "x", edits });
    expect(read?.split("\n")).toHaveLength(12);
  }, 5000);

  test("an unknown tool, with the names of those there are", async () => {
    const specs = [spec("fs__edit"), spec("fs__read")];
    const { kinds, sent, read } = await callTool({}, { name: "fs__write", specs });
    expect(kinds).toBe(notSent);
    expect(sent).toEqual([]);
    expect(read).toBe("There is no tool fs__write. Available tools: fs__edit, fs__read.");
  });

  test("an unknown tool where none are available", async () => {
    const { read } = await callTool({}, { specs: [] });
    expect(read).toBe("There is no tool fs__edit: no tools are available now.");
  });

  test("arguments that are no JSON, with the parse error", async () => {
    const { kinds, sent, read } = await callTool({}, { malformed: '{"path": "x' });
    expect(kinds).toBe(notSent);
    expect(sent).toEqual([]);
    expect(read).toBe(
      'Not run: the arguments must be one JSON object. Unterminated string in JSON at position 11 (line 1 column 12).\nGot: {"path": "x',
    );
  });

  test("arguments that are JSON but no object", async () => {
    const { read } = await callTool({}, { malformed: "[1]" });
    expect(read).toBe("Not run: the arguments must be one JSON object. This is an array.\nGot: [1]");
  });
});

test.for<[string, Record<string, unknown>]>([
  ["a reference to nowhere", { properties: { path: { $ref: "#/$defs/none" } } }],
  ["a pattern that is no pattern", { properties: { path: { type: "string", pattern: "(" } } }],
  ["a schema that refers to itself for ever", { $ref: "#" }],
  ["something that is no schema", { properties: "x", required: 7 }],
])("%s does not fail the call: the server decides", async ([, inputSchema]) => {
  const { sent, status } = await callTool({ path: "x" }, { specs: [spec("fs__edit", inputSchema)] });
  expect(sent).toEqual([{ path: "x" }]);
  expect(status).toBe("ok");
});

test("a frozen schema is neither refused nor written into", async () => {
  const schema = Object.freeze({ type: "object", required: ["path"] });
  const { status } = await callTool({}, { specs: [spec("fs__edit", schema)] });
  expect(status).toBe("error");
  expect(Object.getOwnPropertyNames(schema)).toEqual(["type", "required"]);
});

test("a draft-07 schema is read as such", async () => {
  const pair = { type: "array", items: [{ type: "string" }, { type: "number" }] };
  const inputSchema = { $schema: "http://json-schema.org/draft-07/schema#", properties: { pair } };
  const { read } = await callTool({ pair: ["x", "y"] }, { specs: [spec("fs__edit", inputSchema)] });
  expect(read).toContain('/pair/1: Instance type "string" is invalid. Expected "number".');
});

test("nobody is asked to approve a call that cannot run", async () => {
  const server: ToolBox = { list: () => [spec("fs__edit", edit)], call: async ({ id }) => ok(id) };
  const approved = withApproval(server, { policy: () => ({ ask: "rule" }), open: new Map() });
  const provider = scriptedProvider(
    [{ type: "tool_call", call: toolCall("a", "fs__edit", {}) }, stop("tool_use")],
    [text("ok"), stop("end_turn")],
  );
  const { kinds } = await run({ provider, tools: withArgumentChecks(approved) });
  expect(kinds).toBe(notSent);
});

test("a call that was sent goes on, even when its tool is gone", async () => {
  const call = toolCall("a", "fs__edit", {});
  const open = openCalls([{ type: "tool_start", id: call.id, args: {} }]);
  const server: ToolBox = { list: () => [], call: async ({ id }) => ok(id, "came back") };
  const answer = await withArgumentChecks(server, open).call(call, {
    signal: new AbortController().signal,
    emit: async () => {},
  });
  expect(answer).toEqual(ok(call.id, "came back"));
});
