import { expect, test } from "vitest";
import { readResult } from "./read-result";

const none = { outputSchema: undefined };

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

test("without priorities the first are kept", () => {
  const { content } = readResult({ content: [part("a".repeat(megabyte)), part("b".repeat(9))] }, none);
  expect(content[0]).toMatchObject({ text: "a".repeat(megabyte) });
  expect(content[1]).toMatchObject({ text: expect.stringMatching(/^\n\[Cut here:/) });
});
