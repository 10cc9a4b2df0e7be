import { expect, test } from "vitest";
import { BadCursorError } from "./errors";
import type { AssistantRow } from "./kept-types";
import { openTempStore, tempDir } from "./testing/temp-store";

const quota = { count: 3, bytes: 1_000 };
const assistant = (id: string, patch: Partial<AssistantRow> = {}): AssistantRow => ({
  id,
  userId: "ann",
  name: "Refund clerk",
  icon: "R",
  description: "Looks up charges",
  instructions: "Ask first.",
  createdAt: 4000,
  ...patch,
});

test("an assistant is kept over a restart, changed and deleted, by its owner alone", async () => {
  const dataDir = tempDir();
  const first = await openTempStore({ dataDir });
  const row = assistant("a1", {
    model: "openai/gpt",
    servers: ["pay"],
    deferred: { pay: true },
    agent: "review",
    examples: ["Which ones?"],
  });
  expect(await first.assistants.add(row, quota)).toBe(true);
  await first.close();

  const { assistants } = await openTempStore({ dataDir });
  expect(await assistants.get("ann", "a1")).toEqual(row);
  expect(await assistants.get("ben", "a1")).toBeUndefined();
  expect(
    await assistants.update("ann", "a1", ({ model: _, ...rest }) => ({ ...rest, name: "訳" }), quota),
  ).toBe(true);
  const { model: _, ...changed } = { ...row, name: "訳" };
  expect(await assistants.get("ann", "a1")).toEqual(changed);
  await expect(assistants.update("ben", "a1", (fields) => fields, quota)).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await assistants.delete("ben", "a1")).toBe(false);
  expect(await assistants.delete("ann", "a1")).toBe(true);
  expect(await assistants.get("ann", "a1")).toBeUndefined();
});

test("no more are kept than are allowed, in number and in bytes; those of others do not count", async () => {
  const { assistants } = await openTempStore();
  await assistants.add(assistant("b1", { userId: "ben", instructions: "x".repeat(800) }), quota);
  for (const id of ["a1", "a2", "a3"]) expect(await assistants.add(assistant(id), quota)).toBe(true);
  expect(await assistants.add(assistant("a4"), quota)).toBe(false);
  await assistants.delete("ann", "a3");
  const long = { instructions: "訳".repeat(300) };
  expect(await assistants.add(assistant("a4", long), quota)).toBe(false);
  expect(await assistants.update("ann", "a2", (fields) => ({ ...fields, ...long }), quota)).toBe(false);
  expect((await assistants.get("ann", "a2"))?.instructions).toBe("Ask first.");
  const fits = { instructions: "訳".repeat(200) };
  expect(await assistants.update("ann", "a2", (fields) => ({ ...fields, ...fits }), quota)).toBe(true);
});

test("a list is newest first, page by page", async () => {
  const { assistants } = await openTempStore();
  for (const [id, createdAt] of [
    ["a", 1],
    ["b", 2],
    ["c", 2],
  ] as const)
    await assistants.add(assistant(id, { createdAt }), quota);
  const first = await assistants.list("ann", { limit: 2 });
  expect(first.items.map(({ id }) => id)).toEqual(["c", "b"]);
  const second = await assistants.list("ann", { limit: 2, cursor: first.nextCursor ?? "" });
  expect(second).toEqual({ items: [assistant("a", { createdAt: 1 })], nextCursor: null });
  await expect(assistants.list("ann", { limit: 2, cursor: "x" })).rejects.toThrow(BadCursorError);
  expect((await assistants.list("ben", { limit: 2 })).items).toEqual([]);
});
