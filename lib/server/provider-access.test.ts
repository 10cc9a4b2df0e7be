import { expect, test } from "vitest";
import { tempDir } from "@/lib/store/testing/temp-store";
import { readAccess, writeAccess } from "./provider-access";
import { startWith } from "./testing/start-with";

const [right, wrong] = ["the right one".repeat(3), "the wrong one".repeat(3)];

test("a start with a wrong APP_SECRET costs no key but those that are entered anew or forgotten in it", async () => {
  const dataDir = tempDir();
  await startWith(dataDir, right, async (deps) => {
    await writeAccess(deps, "google", { apiKey: "g-1" });
    await writeAccess(deps, "openai", { apiKey: "o-1", baseURL: "http://127.0.0.1:1/v1" });
    await writeAccess(deps, "anthropic", { apiKey: "a-1" });
  });
  const warnings = await startWith(dataDir, wrong, async (deps) => {
    expect(await readAccess(deps)).toEqual({});
    await writeAccess(deps, "google", { apiKey: "g-2" });
    await writeAccess(deps, "anthropic", null);
  });
  expect(warnings.map((line) => line.split(" in the settings ")[0])).toEqual([
    "The access to google",
    "The access to openai",
    "The access to anthropic",
  ]);
  await startWith(dataDir, right, async (deps) => {
    expect(await readAccess(deps)).toEqual({
      openai: { apiKey: "o-1", baseURL: "http://127.0.0.1:1/v1" },
    });
  });
});
