import { expect, onTestFinished, test, vi } from "vitest";
import { deleteUnfinished, openImports } from "./imports";
import { openStoreOn } from "./open-store";
import { openPostgresEngine } from "./postgres-engine";
import { ask } from "./testing/postgres-server";
import { chain, conversation, run } from "./testing/rows";
import { placeOf, tempDir } from "./testing/temp-store";
import type { NewImport } from "./types";

const imported: NewImport = {
  ...{ source: "meguri", sourceId: "elsewhere", hash: "h", importedAt: 5_000 },
  conversation: conversation({ leafId: "a" }),
  messages: chain(["q", "a"]),
  attachments: [],
  runs: [
    {
      row: run("r1", { status: "completed" }),
      events: [{ seq: 1, at: 1, data: { type: "text", content: "Hello." } }],
    },
  ],
};

async function openTogether() {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const open = async () => {
    const engine = await openPostgresEngine({ dataDir: tempDir(), url, isShared: true });
    const store = await openStoreOn(engine);
    onTestFinished(() => store.close());
    return { engine, store };
  };
  return { url, open };
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof openTogether>>["open"]>>;

/** The imports of a process that does `meanwhile` once the logs are written and the rows are not. */
const importsOf = ({ engine, store }: Opened, meanwhile: () => Promise<unknown>) =>
  openImports(
    engine.records,
    {
      append: async (...args) => {
        await store.log.append(...args);
        await meanwhile();
      },
      delete: (ids) => store.log.delete(ids),
    },
    engine.members,
  );

test("a process that starts leaves alone what another one is just importing", async () => {
  const { open } = await openTogether();
  const one = await open();
  expect(await importsOf(one, open).write([imported], 0)).toBe(true);
  expect(await one.store.log.read("r1", 0, 10)).toHaveLength(1);
  expect((await one.store.runs.get("ann", "r1"))?.status).toBe("completed");
});

test("what a process that is gone was importing goes with the next start, and it cannot end it any more", async () => {
  const { url, open } = await openTogether();
  const one = await open();
  const { id } = one.store.members;
  const imports = importsOf(one, async () => {
    await ask(url, `delete from instance where id = '${id}'`);
    const next = await open();
    expect(await next.store.log.lastSeq("r1")).toBe(0);
    // It has been told, and goes on under another name.
    await expect.poll(() => one.store.members.id !== id && one.store.members.holds()).toBe(true);
  });
  await expect(imports.write([imported], 0)).rejects.toThrow("given up by another process");
  expect(await one.store.conversations.get("ann", "c1")).toBeUndefined();
  expect(await one.store.imports.write([imported], 0)).toBe(true);
});

test("an import that wakes up while another process deletes its logs is given up", async () => {
  const { url, open } = await openTogether();
  const [one, next] = [await open(), await open()];
  const { id } = one.store.members;
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const log = {
    delete: async (ids: readonly string[]) => {
      begun.resolve();
      await over.promise;
      await next.store.log.delete(ids);
    },
  };
  let deleting = Promise.resolve();
  const imports = importsOf(one, async () => {
    await ask(url, `delete from instance where id = '${id}'`);
    await expect.poll(() => one.store.members.id !== id && one.store.members.holds()).toBe(true);
    deleting = deleteUnfinished(next.engine.records, log, next.engine.members);
    await begun.promise;
  });
  await expect(imports.write([imported], 0)).rejects.toThrow("given up by another process");
  over.resolve();
  await deleting;
  expect(await one.store.conversations.get("ann", "c1")).toBeUndefined();
  expect(await ask(url, "select id from importing_run")).toEqual([]);
  expect(await one.store.imports.write([imported], 0)).toBe(true);
  expect(await next.store.log.read("r1", 0, 10)).toHaveLength(1);
});
