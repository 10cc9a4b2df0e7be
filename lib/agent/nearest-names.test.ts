import { expect, test } from "vitest";
import type { ToolBox, ToolSpec } from "./ports";
import { run, scriptedProvider, stop, text, toolCall } from "./testing/scripted";
import { withArgumentChecks } from "./with-argument-checks";

/** So many tools, of which each name counts how often it is read. */
function box(count: number, more: string[] = []): { tools: ToolBox; reads: () => number } {
  let reads = 0;
  const names = [...Array.from({ length: count }, (_, index) => `attic__shelf_${index}`), ...more];
  const specs = names.map(
    (name): ToolSpec => ({
      get name() {
        reads++;
        return name;
      },
      description: "",
      inputSchema: {},
    }),
  );
  return {
    tools: { list: () => specs, call: () => Promise.reject(new Error("It was sent.")) },
    reads: () => reads,
  };
}

async function whatIsRead(name: string, tools: ToolBox): Promise<string> {
  const call = { type: "tool_call" as const, call: toolCall("a", name) };
  const provider = scriptedProvider([call, stop("tool_use")], [text("Oh."), stop("end_turn")]);
  const { result } = await run({ provider, tools: withArgumentChecks(tools) });
  const [, round] = result.historyDelta;
  const [part] = round?.role === "tool" ? (round.results[0]?.content ?? []) : [];
  return part?.type === "text" ? part.text : "";
}

test.each([
  ["filesystem__readfile", "filesystem__read_file"],
  ["read_file", "filesystem__read_file"],
  ["github__createissue", "github__create_issue"],
  ["GitHub.create-issue", "github__create_issue"],
])("among many tools the one that is most like %s is named first: %s", async (wrong, right) => {
  const others = [
    "filesystem__read_file",
    "filesystem__write_file",
    "github__create_issue",
    "github__list_issues",
  ];
  const read = await whatIsRead(wrong, box(1_000, others).tools);
  expect(read).toContain(`There is no tool ${wrong}. The nearest of 1004 tools: ${right}, `);
  expect(read.split(", ")).toHaveLength(10);
});

test("a long name that nothing is like is answered shortly", async () => {
  const read = await whatIsRead("x".repeat(10_000), box(1_000).tools);
  expect(read.length).toBeLessThan(600);
});

test("the cost grows with the number of tools and no faster", async () => {
  const [few, many] = [box(1_000), box(4_000)];
  await whatIsRead("attic__shelve", few.tools);
  await whatIsRead("attic__shelve", many.tools);
  expect(many.reads() / few.reads()).toBeLessThan(5);
});
