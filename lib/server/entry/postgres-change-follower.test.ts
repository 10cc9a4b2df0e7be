import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMcpPool } from "@/lib/mcp/pool";
import { Limits } from "@/lib/server/accounts/person-limits";
import { Roles } from "@/lib/server/accounts/roles";
import { SessionEnds } from "@/lib/server/accounts/session-ends";
import { readEnv } from "@/lib/server/env";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import { readProviderEnv } from "@/lib/server/provider-env";
import { peopleMemory } from "@/lib/server/servers/logins";
import { OwnEntries } from "@/lib/server/servers/own-entries";
import { PeopleSecrets, ServerSecrets } from "@/lib/server/servers/server-secrets";
import { openLiveProviders } from "@/lib/server/settings/live-providers";
import { updateTraits } from "@/lib/server/settings/provider-access";
import type { Store } from "@/lib/store/ports";
import { endListening } from "@/lib/store/testing/end-listening";
import { addPerson } from "@/lib/store/testing/people";
import { openSharedStores, tempDir } from "@/lib/store/testing/temp-store";
import { ChangeFollower } from "./change-follower";
import { Emptied } from "./emptied";
import { openSharedFiles } from "./open-shared-files";

const env = { ...readEnv({}), AUTH: "accounts" as const };
const [providerEnv, endpointEnv] = [readProviderEnv({}), { endpoints: [], variables: [] }];
const secrets = { appSecret: "s".repeat(32), launchToken: "token-of-sixteen-letters" };
const log = pino({ level: "silent" });

/** What an instance has in memory of a database, and follows. */
async function openInstance(store: Store) {
  const follower = new ChangeFollower(store.bus);
  const deps = { env, providerEnv, endpointEnv, secrets, log, store };
  const serverSecrets = await ServerSecrets.open(deps);
  const peopleSecrets = await PeopleSecrets.open(deps);
  const ownEntries = await OwnEntries.open(deps);
  const roles = await Roles.open(deps);
  const dataDir = tempDir();
  const configPath = join(dataDir, "mcp-servers.json");
  writeFileSync(configPath, JSON.stringify({ mcpServers: {} }));
  const pool = createMcpPool({
    ...{ configPath, root: process.cwd(), dataDir, trustFile: true, env: {}, reservedEnv: [] },
    ...{ privateHosts: [], version: "0.0.0", approvals: store.approvals, log: () => {} },
    documents: { label: "PostgreSQL", ...store.documents },
    secrets: serverSecrets,
    people: peopleMemory(deps, peopleSecrets, ownEntries, {
      vouching: () => undefined,
      role: (person) => roles.of(person),
      forgetOf: async () => {},
    }),
  });
  await pool.start();
  onTestFinished(() => pool.close());
  const stopWork = vi.fn(async (_: string) => {});
  const folders = { DATA_DIR: dataDir, AGENTS_DIR: "/nowhere", SKILLS_DIR: "/nowhere" };
  const shared = await openSharedFiles({ ...deps, env: { ...env, ...folders, DATABASE_URL: "postgres:" } });
  onTestFinished(async () => {
    await shared.agentFiles?.close();
    await shared.skillFiles?.close();
  });
  const kept = {
    ...shared,
    ...{ ...deps, serverSecrets, peopleSecrets, ownEntries, roles, pool, stopWork },
    providers: await openLiveProviders(deps),
    limits: await Limits.open(deps),
    ends: new SessionEnds(),
    runs: new LiveRuns(),
    emptied: await Emptied.open(deps),
    temporary: { endAll: vi.fn(async () => {}) },
  };
  follower.start(kept);
  return kept;
}

async function openTwo() {
  const [first, second] = await openSharedStores(2);
  if (!first || !second) throw new Error("There are two.");
  await addPerson(first, "ann");
  return { here: await openInstance(first), there: await openInstance(second) };
}

type Instance = Awaited<ReturnType<typeof openInstance>>;

/** One change of each kind, with what an instance has of it in memory. */
const changes: Record<
  string,
  { make(at: Instance): Promise<unknown>; seen(at: Instance): unknown; gives: unknown }
> = {
  "limits of a role": {
    make: ({ limits }) => limits.changeShared({ member: { runs: 3 }, admin: { runs: 3 } }),
    seen: async ({ limits }) => (await limits.of("ann")).runs,
    gives: 3,
  },
  "limits of a person": {
    make: ({ store }) => store.accounts.changePerson("ann", { limits: { bytes: 5_000_000 } }),
    seen: ({ limits }) => limits.bytes("ann"),
    gives: 5_000_000,
  },
  "a role": {
    make: ({ store }) => store.accounts.changePerson("ann", { role: "admin" }),
    seen: ({ roles }) => roles.of("ann"),
    gives: "admin",
  },
  "somebody new": {
    make: ({ store }) => addPerson(store, "ben"),
    seen: ({ roles }) => roles.of("ben"),
    gives: "member",
  },
  "the secret of a server": {
    make: ({ serverSecrets }) => serverSecrets.change("crm", { KEY: "k" }),
    seen: ({ serverSecrets }) => serverSecrets.get("crm", "KEY"),
    gives: "k",
  },
  "a secret of a person": {
    make: ({ peopleSecrets }) => peopleSecrets.of("ann").change("crm", { KEY: "own" }, "place"),
    seen: ({ peopleSecrets }) => peopleSecrets.of("ann").get("crm", "KEY", "place"),
    gives: "own",
  },
  "a server of a person": {
    make: ({ ownEntries }) =>
      ownEntries.change("ann", (entries) => entries.set("mine", { url: "https://mcp.example/" })),
    seen: ({ pool }) => pool.of("ann").server("mine")?.owner,
    gives: "ann",
  },
  "a server of all": {
    make: ({ pool }) => pool.file.add({ off: { url: "https://mcp.example/", disabled: true } }),
    seen: ({ pool }) => pool.server("off")?.status,
    gives: "disabled",
  },
  "the file of an agent": {
    make: async ({ agentFiles }) => agentFiles?.change("one.yaml", { "one.yaml": "name: one" }),
    seen: ({ agentFiles }) => existsSync(join(agentFiles?.dir ?? "", "one.yaml")),
    gives: true,
  },
  "what is said of a model": {
    make: (at) => updateTraits(at, () => ({ "demo/demo": { contextWindow: 1_234 } })),
    seen: ({ providers }) => providers.window("demo/demo"),
    gives: 1_234,
  },
};

test.each(Object.entries(changes))(
  "%s that changes at one instance has changed at the other",
  async (_, change) => {
    const { here, there } = await openTwo();
    expect(await change.seen(there)).not.toEqual(change.gives);
    await change.make(here);
    await expect.poll(() => change.seen(there)).toEqual(change.gives);
  },
);

test("what changes while nothing can be heard is taken up as soon as something can", async () => {
  const { here, there } = await openTwo();
  const all = Object.values(changes);
  for (const { seen } of all) await seen(there);
  await endListening(there.store);
  await Promise.all(all.map(({ make }) => make(here)));
  for (const { seen, gives } of all) await expect.poll(() => seen(there)).toEqual(gives);
});

test("a server is tried again with the secret that its person has entered at another instance", async () => {
  const { here, there } = await openTwo();
  const headers = { key: `\${secret:KEY}` };
  await here.pool.file.add({ crm: { url: "http://127.0.0.1:9/mcp", headers } });
  const hash = here.pool.of("ann").server("crm")?.approvalHash ?? "";
  await here.pool.file.approve("crm", hash);
  const errorOf = () => there.pool.of("ann").server("crm")?.lastError?.message ?? "";
  await expect.poll(errorOf).toContain("KEY");
  const place = here.pool.secretPlace("crm");
  await here.peopleSecrets.of("ann").change("crm", { KEY: "k" }, place);
  await expect.poll(errorOf).toContain("connection refused");
});

test("who is signed out, shut out or deleted at one instance is so at the other, where what they had running ends", async () => {
  const { here, there } = await openTwo();
  for (const id of ["ben", "cid"]) await addPerson(here.store, id);
  const signals = ["ann", "ben", "cid"].map((id) => there.ends.signal(`s-${id}`, id));
  const areEnded = () => signals.map(({ aborted }) => aborted);
  await here.store.accounts.endSessions("ann", { id: "s-ann" });
  await expect.poll(areEnded).toEqual([true, false, false]);
  await here.store.accounts.changePerson("ben", { disabled: true });
  await expect.poll(() => there.stopWork.mock.calls).toContainEqual(["ben"]);
  await endListening(there.store);
  await addPerson(here.store, "root", { role: "admin" });
  await here.store.deletedPeople.begin("cid", 5);
  await expect.poll(() => there.stopWork.mock.calls).toContainEqual(["cid"]);
  // What was let in just before began after that.
  const timesOfCid = () => there.stopWork.mock.calls.filter(([id]) => id === "cid").length;
  // Told of with the change and with the new line, it may be more often.
  await expect.poll(timesOfCid).toBeGreaterThanOrEqual(2);
  expect(there.stopWork).not.toHaveBeenCalledWith("ann");
  expect(there.roles.of("cid")).toBeUndefined();
  expect(areEnded()).toEqual([true, true, true]);
});

test("what somebody has used today counts runs that others have ended and those that go on here, each once", async () => {
  const { here, there } = await openTwo();
  const usedAt = async ({ limits }: Instance) => (await limits.usedToday("ann")).tokens;
  const use = (tokens: number) => ({ inputTokens: tokens, outputTokens: 0 });
  const day = await there.limits.dayBudget("ann");
  day.add(use(5));
  expect([await usedAt(here), await usedAt(there)]).toEqual([0, 5]);
  await here.store.usageDays.add("ann", Date.now(), use(100));
  here.limits.noteEnd(await here.limits.dayBudget("ann"));
  await expect.poll(() => usedAt(there)).toBe(105);
  expect(await usedAt(here)).toBe(100);
  // The run here ends: stored first, then noted.
  await there.store.usageDays.add("ann", Date.now(), use(5));
  there.limits.noteEnd(day);
  expect(await usedAt(there)).toBe(105);
  await expect.poll(() => usedAt(here)).toBe(105);
});

test("an admin who is made a member elsewhere loses what only admins follow", async () => {
  const { here, there } = await openTwo();
  await addPerson(here.store, "root", { role: "admin" });
  await here.store.accounts.changePerson("ann", { role: "admin" });
  await expect.poll(() => there.roles.of("ann")).toBe("admin");
  const followed = there.ends.signal("s-ann", "ann");
  await here.store.accounts.changePerson("ann", { role: "member" });
  await expect.poll(() => followed.aborted).toBe(true);
  expect(there.stopWork).not.toHaveBeenCalled();
});

test("who deletes everything ends what is in the memory of other instances too, once", async () => {
  const { here, there } = await openTwo();
  const ended = () => [here, there].map(({ temporary }) => temporary.endAll.mock.calls.length);
  for (let times = 1; times <= 2; times++) {
    await here.store.empty();
    await here.emptied.note(here);
    await expect.poll(ended, { timeout: 10_000 }).toEqual([0, times]);
  }
  // Each is told of everything, and reads it again.
  for (const { store } of [here, there]) await endListening(store);
  const limits = changes["limits of a role"];
  await limits?.make(here);
  await expect.poll(() => limits?.seen(there)).toBe(limits?.gives);
  expect(ended()).toEqual([0, 2]);
});
