import { expect, test } from "vitest";
import { startWith } from "@/lib/server/testing/start-with";
import { openStore } from "@/lib/store/open-store";
import { tempDir } from "@/lib/store/testing/temp-store";
import { PeopleSecrets, ServerSecrets } from "./server-secrets";

const [right, wrong] = ["the right one".repeat(3), "the wrong one".repeat(3)];

/** What a start with this APP_SECRET finds, and does to it. */
const start = (dataDir: string, appSecret: string, act: (secrets: ServerSecrets) => Promise<void>) =>
  startWith(dataDir, appSecret, async (deps) => act(await ServerSecrets.open(deps)));

const everything = (secrets: ServerSecrets) =>
  ["crm", '日本語 "x"', "mail"].map((server) =>
    secrets.names(server).map((name) => `${name}=${secrets.get(server, name)}`),
  );

test("a start with a wrong APP_SECRET costs no secret but those that are entered anew or deleted in it", async () => {
  const dataDir = tempDir();
  await start(dataDir, right, async (secrets) => {
    await secrets.change("crm", { KEY: "k-1", __proto_: "p", TOKEN: "t-1" });
    await secrets.change('日本語 "x"', { KEY: "k-2" });
    await secrets.change("mail", { KEY: "k-3", OLD: "o-3" });
  });
  const warnings = await start(dataDir, wrong, async (secrets) => {
    expect(everything(secrets)).toEqual([[], [], []]);
    expect(secrets.get("crm", "KEY")).toBeUndefined();
    await secrets.change("crm", { TOKEN: "t-2" });
    await secrets.change("mail", { OLD: null });
    expect(everything(secrets)).toEqual([["TOKEN=t-2"], [], []]);
  });
  expect(warnings).toEqual([
    "6 secrets of MCP servers were stored under another APP_SECRET; start with that one, or enter them again.",
  ]);
  await start(dataDir, right, async (secrets) => {
    expect(everything(secrets)).toEqual([["KEY=k-1", "__proto_=p"], ["KEY=k-2"], ["KEY=k-3"]]);
    await secrets.forget("crm");
  });
  await start(dataDir, wrong, async (secrets) => {
    expect(everything(secrets)).toEqual([[], [], []]);
  });
});

test("a sealed secret that is moved in the database opens for no other server or name", async () => {
  const dataDir = tempDir();
  await start(dataDir, right, (secrets) => secrets.change("crm", { KEY: "k-1" }));
  const store = await openStore({ dataDir });
  const row = await store.settings.get<Record<string, Record<string, string>>>(
    "system",
    "mcp-server-secrets",
  );
  const sealed = row?.crm?.KEY;
  expect(sealed).toMatch(/^v1\./);
  await store.settings.set("system", "mcp-server-secrets", { crm: { OTHER: sealed }, mail: { KEY: sealed } });
  await store.close();
  await start(dataDir, right, async (secrets) => {
    expect(everything(secrets)).toEqual([[], [], []]);
  });
});

test("what one person has entered opens for nobody else, also where its row is moved to them", async () => {
  const dataDir = tempDir();
  await startWith(dataDir, right, async (deps) => {
    const people = await PeopleSecrets.open(deps);
    await people.of("ben").change("crm", { KEY: "the key of Ben" });
    expect(people.of("cleo").get("crm", "KEY")).toBeUndefined();
    const row = await deps.store.settings.get("ben", "mcp-server-secrets");
    for (const owner of ["cleo", "system"]) await deps.store.settings.set(owner, "mcp-server-secrets", row);
    const again = await PeopleSecrets.open(deps);
    expect(again.of("cleo").names("crm")).toEqual([]);
    expect((await ServerSecrets.open(deps)).names("crm")).toEqual([]);
    expect(again.of("ben").get("crm", "KEY")).toBe("the key of Ben");
  });
});
