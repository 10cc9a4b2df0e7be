import { expect, test } from "vitest";
import { readResult } from "./read-result";

const none = { tool: { outputSchema: undefined } };

const megabyte = 1024 * 1024;
const part = (text: string, priority?: number) => ({
  type: "text" as const,
  text,
  ...(priority !== undefined && { annotations: { priority } }),
});

test("what a server holds for most important is kept whole where not all fits, and stays in its place", () => {
  const { content } = readResult(
    { content: [part("a".repeat(megabyte), 0), part("b".repeat(1_000)), part("c".repeat(1_000), 1)] },
    none,
  );
  const lengths = content.map((one) => (one.type === "text" ? one.text.match(/^(.)\1*/)?.[0].length : 0));
  expect(lengths).toEqual([megabyte - 2_000, 1_000, 1_000]);
  expect(content[0]).toMatchObject({ text: expect.stringContaining("[Cut here:") });
});

test("all files of a result share one limit", () => {
  const image = (letter: string, characters: number) => ({
    ...{ type: "image" as const, mimeType: "image/png" },
    data: letter.repeat(characters),
  });
  const { content } = readResult(
    { content: [image("A", 5 * megabyte), image("B", 4 * megabyte), image("C", 3 * megabyte)] },
    none,
  );
  expect(content.map((one) => (one.type === "file" ? one.data?.[0] : one.type))).toEqual(["A", "text", "C"]);
});

test("blocks that come once more as structured content are kept once; other structured content is kept", () => {
  const blocks = [part("a picture"), { type: "image" as const, mimeType: "image/png", data: "AAAA" }];
  const again = readResult({ content: blocks, structuredContent: { result: structuredClone(blocks) } }, none);
  expect(again).not.toHaveProperty("structured");
  expect(again.content).toHaveLength(2);
  for (const structuredContent of [{ result: blocks.slice(1) }, { result: blocks, count: 2 }])
    expect(readResult({ content: blocks, structuredContent }, none)).toMatchObject({
      structured: structuredContent,
    });
});

test("without priorities the first are kept", () => {
  const { content } = readResult({ content: [part("a".repeat(megabyte)), part("b".repeat(9))] }, none);
  expect(content[0]).toMatchObject({ text: "a".repeat(megabyte) });
  expect(content[1]).toMatchObject({ text: expect.stringMatching(/^\n\[Cut here:/) });
});

test("a result leaves the loop around it only where the server's entry lets it, and it worked", () => {
  const asks = { content: [part("enough")], _meta: { "meguri/escalate": true } };
  const allowed = { ...none, mayEscalate: true };
  expect(readResult(asks, allowed)).toMatchObject({ status: "ok", escalates: true });
  for (const outcome of [
    readResult(asks, none),
    readResult({ ...asks, isError: true }, allowed),
    readResult({ ...asks, _meta: { "meguri/escalate": "true" } }, allowed),
    readResult({ content: asks.content }, allowed),
  ])
    expect(outcome).not.toHaveProperty("escalates");
});
