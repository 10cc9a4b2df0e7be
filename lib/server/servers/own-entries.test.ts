import { expect, test } from "vitest";
import { reseal } from "@/lib/server/seal";
import { startWith } from "@/lib/server/testing/start-with";
import { tempDir } from "@/lib/store/testing/temp-store";
import { OwnEntries, sealedOwnServers } from "./own-entries";

const [right, wrong] = ["the right one".repeat(3), "the wrong one".repeat(3)];
const key = "mcp-own-servers";
const crm = { url: "https://crm.example/mcp", headers: { Authorization: "Bearer s-1" } };

test("a person's entries open for nobody else and under no other name, also where their row is moved", async () => {
  await startWith(tempDir(), right, async (deps) => {
    const entries = await OwnEntries.open(deps);
    await entries.change("ben", (own) => void own.set("crm", crm));
    const row = await deps.store.settings.get<Record<string, string>>("ben", key);
    expect(JSON.stringify(row)).not.toMatch(/crm\.example|s-1/);
    await deps.store.settings.set("cleo", key, row);
    await deps.store.settings.set("ben", key, { ...row, other: row?.crm });
    const again = await OwnEntries.open(deps);
    expect([...again.of("ben")]).toEqual([["crm", crm]]);
    expect([...again.of("cleo")]).toEqual([]);
  });
});

test("a start with a wrong APP_SECRET costs no entry, and a change of the secret takes them along", async () => {
  const dataDir = tempDir();
  await startWith(dataDir, right, async (deps) =>
    (await OwnEntries.open(deps)).change("ben", (own) => void own.set("crm", crm)),
  );
  await startWith(dataDir, wrong, async (deps) => {
    const entries = await OwnEntries.open(deps);
    expect([...entries.of("ben")]).toEqual([]);
    await entries.change("ben", (own) => void own.set("mail", crm));
    expect([...entries.of("ben").keys()]).toEqual(["mail"]);
  });
  await startWith(dataDir, right, async (deps) => {
    const entries = await OwnEntries.open(deps);
    expect([...entries.of("ben").keys()]).toEqual(["crm"]);
    await entries.change("ben", (own) => void own.delete("mail"));
    const { settings } = deps.store;
    const row = await settings.get<Record<string, string>>("ben", key);
    const again = (purpose: string, sealed: string) => reseal(right, wrong, purpose, sealed) ?? "";
    await settings.set("ben", key, sealedOwnServers.reseal(row, again, { owner: "ben", key }));
  });
  await startWith(dataDir, wrong, async (deps) =>
    expect((await OwnEntries.open(deps)).of("ben").get("crm")).toEqual(crm),
  );
});
