import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { expect, test } from "vitest";
import { selectRuns } from "./list-runs";
import type { RunFilter } from "./ports";
import type { DB } from "./schema";
import { conversation, run } from "./testing/rows";
import { openTempStore, tempDir } from "./testing/temp-store";

test("runs come newest first by pages, and one page goes on where the one before has ended", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.conversations.create(conversation({ id: "c2" }));
  // Two at each moment.
  for (let at = 0; at < 10; at++)
    await store.runs.create(
      run(`r${at}`, {
        status: at % 3 === 0 ? "failed" : "completed",
        agent: at === 4 ? "pipeline" : null,
        conversationId: at < 5 ? "c1" : "c2",
        startedAt: 100 + Math.floor(at / 2),
      }),
    );
  await store.runs.create(run("other", { userId: "bob" }));
  const pages = async (limit: number, filter: RunFilter = {}) => {
    const ids: string[][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await store.runs.list("ann", { limit, ...filter, ...(cursor && { cursor }) });
      ids.push(page.items.map(({ id }) => id));
      if (page.nextCursor === null) return ids;
      cursor = page.nextCursor;
    }
  };
  expect(await pages(3)).toEqual([["r9", "r8", "r7"], ["r6", "r5", "r4"], ["r3", "r2", "r1"], ["r0"]]);
  expect(await pages(2, { status: "failed" })).toEqual([
    ["r9", "r6"],
    ["r3", "r0"],
  ]);
  expect(await pages(9, { kind: "workflow" })).toEqual([["r4"]]);
  expect(await pages(4, { kind: "chat", conversationId: "c1" })).toEqual([["r3", "r2", "r1", "r0"]]);
  await store.conversations.hide("c2", 5000);
  expect(await pages(9)).toEqual([["r4", "r3", "r2", "r1", "r0"]]);
});

test("no list reads the runs that it does not show, or sorts those of a person", async () => {
  const dataDir = tempDir();
  await openTempStore({ dataDir });
  const raw = new DatabaseSync(join(dataDir, "meguri.db"));
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const planOf = (filter: RunFilter) => {
    const cursor = Buffer.from(JSON.stringify([5, "x"])).toString("base64url");
    const { sql, parameters } = selectRuns(db, "ann", { limit: 50, cursor, ...filter }).compile();
    const plan = raw.prepare(`explain query plan ${sql}`).all(...(parameters as string[]));
    return plan.map(({ detail }) => String(detail)).filter((line) => !line.includes("gone"));
  };
  const search = (index: string, terms: string) => `SEARCH run USING INDEX ${index} (${terms})`;
  expect(planOf({})[0]).toContain(search("run_by_user", "user_id=? AND (started_at,id)<(?,?)"));
  expect(planOf({ kind: "chat" })[0]).toContain("USING INDEX run_by_user ");
  expect(planOf({ kind: "workflow" })[0]).toContain("USING INDEX run_of_workflow ");
  expect(planOf({ conversationId: "c1" })[0]).toContain("USING INDEX run_by_conversation ");
  expect(planOf({ conversationId: "c1", status: "failed" })[0]).toContain("USING INDEX run_by_conversation ");
  for (const status of ["waiting", "completed"] as const)
    expect(planOf({ status })[0]).toContain("USING INDEX run_by_status ");
  const kinds: RunFilter[] = [{}, { kind: "workflow" }, { conversationId: "c1" }, { status: "completed" }];
  for (const filter of kinds) expect(planOf(filter).join()).not.toContain("TEMP B-TREE FOR ORDER BY");
  raw.close();
});
