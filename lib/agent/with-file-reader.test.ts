import { expect, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import type { ToolBox } from "./ports";
import { readFileTool, withFileReader } from "./with-file-reader";

const none: ToolBox = {
  list: () => [],
  call: async ({ id }) => ({ id, status: "error", content: [{ type: "text", text: "not ours" }] }),
};
const text = `a😀b${"😀".repeat(6_000)}`;
const tools = withFileReader(none, [{ name: "faces.txt", read: async () => text }]);

async function read(args: Record<string, unknown>): Promise<{ status: string; text: string }> {
  const context = { signal: new AbortController().signal, emit: async () => {} };
  const result = (await tools.call(
    { type: "tool_call", id: "1" as ToolCallId, name: readFileTool, args },
    context,
  )) as ToolResult;
  const [part] = result.content;
  return { status: result.status, text: part?.type === "text" ? part.text : "" };
}

test("no page begins or ends within a character, and together they are the file", async () => {
  for (const length of [1, 2, 3, 7_999]) {
    let whole = "";
    let offset: number | undefined = 0;
    for (let pages = 0; offset !== undefined && pages < 20; pages++) {
      const page: string = (await read({ name: "faces.txt", offset, length })).text;
      expect(page.isWellFormed()).toBe(true);
      const next: string | undefined = /\n\[\d+ characters follow; go on with offset (\d+)\.\]$/.exec(
        page,
      )?.[1];
      whole += page.replace(/\n\[.*$/, "");
      offset = next === undefined ? undefined : Number(next);
    }
    expect(text.startsWith(whole)).toBe(true);
    expect(whole.length).toBeGreaterThan(Math.min(20 * length, text.length) - 1);
  }
  expect((await read({ name: "faces.txt", offset: 2, length: 1 })).text).toMatch(/^😀\n\[/);
});

test("a range that is none says so", async () => {
  for (const range of [{ offset: -1 }, { offset: 0.5 }, { length: 0 }, { length: 8_001 }, { offset: "3" }])
    expect(await read({ name: "faces.txt", ...range })).toMatchObject({
      status: "error",
      text: expect.stringMatching(/^Not run: .*(offset|length)/s),
    });
  expect((await read({ name: "faces.txt", offset: 1e15 })).text).toBe(`[The file ends at ${text.length}.]`);
});
