import { expect, test } from "vitest";
import type { ToolSpec } from "@/lib/agent/ports";
import { hashContent, recordRequests } from "./sent-requests";

const { signal } = new AbortController();
const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
});
const turn = (system: string, tools: readonly ToolSpec[]) => ({ system, tools, history: [], signal });
const recorder = () => recordRequests({ model: "scripted/model", knobs: { effort: "low" }, window: 8_000 });

test("a content is told with the turn that names it first", () => {
  const record = recorder();
  const tools = [tool("a"), tool("b")];
  const first = record(turn("You help.", tools));
  expect(first).toEqual({
    type: "request",
    system: hashContent("You help."),
    tools: hashContent(JSON.stringify(tools)),
    params: { effort: "low" },
    model: "scripted/model",
    window: 8_000,
    contents: {
      [hashContent("You help.")]: "You help.",
      [hashContent(JSON.stringify(tools))]: JSON.stringify(tools),
    },
  });
  const { contents: _, ...named } = first;
  expect(record(turn("You help.", tools))).toEqual(named);
  // Another list of the same tools, as wrappers make one for each turn.
  expect(record(turn("You help.", [...tools]))).toEqual(named);
  const less = record(turn("You help.", [tool("a")]));
  expect(Object.keys(less.contents ?? {})).toEqual([less.tools]);
  expect(record(turn("You help.", tools))).toEqual(named);
});

test("each run tells the tools that it offers, whatever another one has offered before", () => {
  const tools = [tool("a"), tool("b")];
  recorder()(turn("", tools));
  const same = recorder()(turn("", [...tools]));
  expect(same.contents?.[same.tools ?? ""]).toBe(JSON.stringify(tools));
  const changed = [tool("a"), { ...tool("b"), inputSchema: { type: "object", required: ["path"] } }];
  const other = recorder()(turn("", changed));
  expect(other.tools).toBe(hashContent(JSON.stringify(changed)));
  expect(other.contents?.[other.tools ?? ""]).toBe(JSON.stringify(changed));
});

test("a turn that says otherwise counts, and a schema is only named", () => {
  const record = recorder();
  const sent = {
    ...turn("", []),
    toolChoice: { name: "a" },
    temperature: 0,
    responseSchema: { type: "object" },
  };
  expect(record(sent).params).toEqual({
    effort: "low",
    temperature: 0,
    toolChoice: { name: "a" },
    hasResponseSchema: true,
  });
});

test("what is too long, or too much for one run, is not kept", () => {
  const record = recorder();
  const long = record(turn("a".repeat(1_000_001), []));
  expect([long.system, Object.keys(long.contents ?? {})]).toEqual([null, [long.tools]]);
  const kept = Array.from(
    { length: 6 },
    (_, index) => record(turn(`${index}`.repeat(900_000), [])).system !== null,
  );
  expect(kept).toEqual([true, true, true, true, false, false]);
  expect(record(turn("0".repeat(900_000), [])).system).not.toBeNull();
});
