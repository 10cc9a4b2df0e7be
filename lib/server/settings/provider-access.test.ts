import { expect, test } from "vitest";
import { readEnv } from "@/lib/server/env";
import { seal } from "@/lib/server/seal";
import { startWith } from "@/lib/server/testing/start-with";
import { tempDir } from "@/lib/store/testing/temp-store";
import { adoptAccess, providerConfig, readAccess, updateAccess } from "./provider-access";

const [right, wrong] = ["the right one".repeat(3), "the wrong one".repeat(3)];

test("what the settings say of a model leaves what the environment says beside it", () => {
  const env = readEnv({ PROMPTED_JSON_MODELS: "openai/a,openai/b" });
  const said = { "openai/a": { effort: "low" as const }, "openai/b": { toolCalls: "own" as const } };
  expect(providerConfig({ env, providerEnv: {} }, {}, [], said).traits).toEqual({
    "openai/a": { toolCalls: "json", effort: "low" },
    "openai/b": { toolCalls: "own" },
  });
});

test("a start with a wrong APP_SECRET costs no key but those that are entered anew or forgotten in it", async () => {
  const dataDir = tempDir();
  await startWith(dataDir, right, async (deps) => {
    await updateAccess(deps, () => ({ google: { apiKey: "g-1" } }));
    await updateAccess(deps, () => ({ openai: { apiKey: "o-1", baseURL: "http://127.0.0.1:1/v1" } }));
    await updateAccess(deps, () => ({ anthropic: { apiKey: "a-1" } }));
  });
  const warnings = await startWith(dataDir, wrong, async (deps) => {
    expect(await readAccess(deps)).toEqual({});
    await updateAccess(deps, () => ({ google: { apiKey: "g-2" } }));
    await updateAccess(deps, () => ({ anthropic: null }));
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

test("what an earlier version kept in one row is taken over, once, and hides nothing newer", async () => {
  const dataDir = tempDir();
  await startWith(dataDir, right, async (deps) => {
    const together = { google: { apiKey: "g-1" }, openai: { apiKey: "o-1" } };
    await deps.store.settings.set(
      "system",
      "providers",
      seal(right, "provider access", JSON.stringify(together)),
    );
    await updateAccess(deps, () => ({ openai: { apiKey: "o-2" } }));
  });
  await startWith(dataDir, wrong, adoptAccess);
  await startWith(dataDir, right, async (deps) => {
    await adoptAccess(deps);
    expect(await readAccess(deps)).toEqual({ google: { apiKey: "g-1" }, openai: { apiKey: "o-2" } });
    await updateAccess(deps, () => ({ google: null }));
  });
  await startWith(dataDir, right, async (deps) => {
    await adoptAccess(deps);
    expect(await readAccess(deps)).toEqual({ openai: { apiKey: "o-2" } });
  });
});
