import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StoreError } from "@/lib/store/errors";
import { openStore, openStoreOn } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import { chain, conversation, endedLog, run, share } from "@/lib/store/testing/rows";
import { tempDir } from "@/lib/store/testing/temp-store";

const secret = "the-words-that-nobody-may-find";
const databases = ["meguri.db", "run-log.db"];
const clean = [...databases, "meguri.lock"].sort();

/** A folder with everything that can be in one, and how it is set up. */
async function fill(store: Store): Promise<void> {
  await store.conversations.create(conversation({ title: secret }));
  const rows = chain(["q", "a"]);
  await store.messages.append(
    "c1",
    rows.map((row) => ({
      ...row,
      message: { role: "user", parts: [{ type: "text", text: secret.repeat(30_000) }] },
    })),
  );
  await store.runs.create(run("r1"));
  const data = { type: "text", content: secret } as const;
  await store.log.append("r1", [{ seq: 1, at: 1, data }, ...endedLog(20).slice(1)], true);
  await store.shares.create(share("s1", { title: secret }));
  await store.settings.set("ann", "instructions", secret);
  await store.settings.set("ann", "requests:files", [{ args: secret }]);
  await store.settings.set("ann", "rules", ["kept"]);
  await store.settings.set("ann", "mcp-login:crm", "kept");
  await store.settings.set("ann", "mcp-server-secrets", { crm: {} });
  await store.settings.set("system", "sessions", ["kept"]);
  await store.approvals.set("files", "kept");
}

async function filledFolder(): Promise<string> {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  await fill(store);
  await store.close();
  for (const file of databases) writeFileSync(join(dataDir, `${file}.previous`), secret);
  return dataDir;
}

const filesOf = (dataDir: string) => readdirSync(dataDir).sort();
const holding = (dataDir: string) =>
  filesOf(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(secret.slice(0, 20)));

async function expectEmpty(store: Store): Promise<void> {
  expect((await store.conversations.list("ann", { limit: 10 })).items).toEqual([]);
  expect((await store.shares.list("ann", { limit: 10 })).items).toEqual([]);
  expect(await store.log.lastSeq("r1")).toBe(0);
  expect(await store.settings.get("ann", "instructions")).toBeUndefined();
  expect(await store.settings.get("ann", "requests:files")).toBeUndefined();
  expect(await store.settings.get("ann", "rules")).toEqual(["kept"]);
  expect(await store.settings.get("ann", "mcp-login:crm")).toBe("kept");
  expect(await store.settings.get("ann", "mcp-server-secrets")).toEqual({ crm: {} });
  expect(await store.settings.get("system", "sessions")).toEqual(["kept"]);
  expect(await store.approvals.all()).toEqual(new Map([["files", "kept"]]));
}

test("everything that was written is in no file afterwards, what is set up stays, and the store goes on", async () => {
  const dataDir = await filledFolder();
  expect(holding(dataDir)).toEqual([...databases, ...databases.map((file) => `${file}.previous`)].sort());
  const store = await openStore({ dataDir });
  const before = await store.usage();
  // Read once, so that it is in memory.
  expect(await store.settings.get("ann", "instructions")).toBe(secret);
  await store.empty();
  expect(holding(dataDir)).toEqual([]);
  await expectEmpty(store);
  const after = await store.usage();
  expect(before.conversations - after.conversations).toBeGreaterThan(1_000_000);
  await fill(store);
  expect(await store.log.lastSeq("r1")).toBe(21);
  await store.empty();
  await expectEmpty(store);
  await store.close();
  expect(filesOf(dataDir)).toEqual(clean);
  expect(holding(dataDir)).toEqual([]);
});

test("a second call and requests that come meanwhile find a store that works", async () => {
  const store = await openStore({ dataDir: await filledFolder() });
  const [, , list] = await Promise.all([
    store.empty(),
    store.empty(),
    store.conversations.list("ann", { limit: 10 }),
    store.log.append("r2", endedLog(3), true),
    store.usage().catch((cause) => expect(cause).toBeInstanceOf(StoreError)),
  ]);
  expect(list.items.length).toBeLessThanOrEqual(1);
  await expectEmpty(store);
  await store.close();
});

const steps = [
  ...["marked", "built"],
  ...["records", "log"].flatMap((area) => ["ready", "deleted", "emptied"].map((step) => `${area} ${step}`)),
];

test.each(steps)("after kill -9 when it was %s, the next start deletes the rest", async (step) => {
  const dataDir = await filledFolder();
  expect(emptyUntil(dataDir, step)).toBe("SIGKILL");
  const store = await openStore({ dataDir });
  await expectEmpty(store);
  await store.conversations.create(conversation());
  await store.close();
  expect(filesOf(dataDir)).toEqual(clean);
  expect(holding(dataDir)).toEqual([]);
  // And once only.
  const next = await openStore({ dataDir });
  expect((await next.conversations.list("ann", { limit: 10 })).items).toHaveLength(1);
  await next.close();
});

test("when it fails nothing that is written later goes with the next start", async () => {
  const dataDir = await filledFolder();
  const onStep = (step: string) => {
    if (step === "log ready") throw new StoreError("disk_full", "no room");
  };
  const store = await openStoreOn(await openSqliteEngine(dataDir, { onStep }));
  await expect(store.empty()).rejects.toMatchObject({ code: "disk_full" });
  await store.conversations.create(conversation({ id: "later" }));
  await store.close();
  const next = await openStore({ dataDir });
  expect((await next.conversations.list("ann", { limit: 10 })).items).toHaveLength(1);
  await next.close();
});

function emptyUntil(dataDir: string, step: string): string | null {
  const testing = join(import.meta.dirname, "../testing");
  const flags = ["--experimental-transform-types", "--no-warnings", "--import"];
  const { signal } = spawnSync(
    process.execPath,
    [...flags, join(testing, "run-typescript.ts"), join(testing, "empty-store.ts"), dataDir, step],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  return signal;
}
