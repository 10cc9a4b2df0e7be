import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "@/lib/store/open-store";
import { rewind } from "@/lib/store/testing/rewind";
import { tempDir } from "@/lib/store/testing/temp-store";

test("prices of an installation for one person become everybody's; those that somebody else had set go", async () => {
  const dataDir = tempDir();
  const before = await openStore({ dataDir });
  const prices = { "openai/a": { input: 1, output: 2 } };
  await before.settings.set("local", "prices", prices);
  await before.settings.set("local", "defaultModel", "openai/a");
  await before.settings.set("ben", "prices", { "openai/a": { input: 0, output: 0 } });
  await before.close();
  await rewind(join(dataDir, "meguri.db"), "records", 29);
  const store = await openStore({ dataDir });
  expect(await store.settings.get("system", "prices")).toEqual(prices);
  for (const person of ["local", "ben"]) expect(await store.settings.get(person, "prices")).toBeUndefined();
  expect(await store.settings.get("local", "defaultModel")).toBe("openai/a");
  await store.close();
});
