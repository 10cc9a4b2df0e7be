import { expect, test } from "vitest";
import type { PromptRow } from "./kept-types";
import { openTempStore, tempDir } from "./testing/temp-store";

const quota = { count: 3, bytes: 1_000 };
const prompt = (id: string, patch: Partial<PromptRow> = {}): PromptRow => ({
  id,
  userId: "ann",
  name: "Weekly report",
  text: "For {{team}}.",
  createdAt: 4000,
  ...patch,
});

test("a prompt is kept over a restart, changed and deleted, by its owner alone", async () => {
  const dataDir = tempDir();
  const first = await openTempStore({ dataDir });
  expect(await first.prompts.add(prompt("p1"), quota)).toBe(true);
  await first.close();

  const { prompts } = await openTempStore({ dataDir });
  expect(await prompts.get("ann", "p1")).toEqual(prompt("p1"));
  expect(await prompts.get("ben", "p1")).toBeUndefined();
  expect(await prompts.update("ann", "p1", (fields) => ({ ...fields, name: "訳" }), quota)).toBe(true);
  expect(await prompts.get("ann", "p1")).toEqual(prompt("p1", { name: "訳" }));
  await expect(prompts.update("ben", "p1", (fields) => fields, quota)).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await prompts.delete("ben", "p1")).toBe(false);
  expect(await prompts.delete("ann", "p1")).toBe(true);
  expect(await prompts.get("ann", "p1")).toBeUndefined();
});

test("a search by name goes through all pages and finds nobody else's", async () => {
  const { prompts } = await openTempStore();
  const many = { count: 100, bytes: 100_000 };
  for (let at = 0; at < 9; at++)
    await prompts.add(prompt(`p${at}`, { name: at % 2 ? "Other" : "Weekly", createdAt: at }), many);
  await prompts.add(prompt("b1", { userId: "ben", name: "Weekly" }), many);
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await prompts.list("ann", { limit: 2, name: "week", ...(cursor && { cursor }) });
    found.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(found).toEqual(["p8", "p6", "p4", "p2", "p0"]);
});

test("no more are kept than are allowed, in number and in bytes", async () => {
  const { prompts } = await openTempStore();
  for (const id of ["p1", "p2", "p3"]) expect(await prompts.add(prompt(id), quota)).toBe(true);
  expect(await prompts.add(prompt("p4"), quota)).toBe(false);
  expect(await prompts.update("ann", "p1", (fields) => ({ ...fields, text: "訳".repeat(400) }), quota)).toBe(
    false,
  );
  expect((await prompts.get("ann", "p1"))?.text).toBe("For {{team}}.");
});
