import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { expect, test } from "vitest";
import { selectRuns } from "./list-runs";
import type { RunFilter } from "./ports";
import type { DB } from "./schema";
import { openTempStore, tempDir } from "./testing/temp-store";

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
  expect(planOf({ kind: "gateway" })[0]).toContain("USING INDEX run_of_program ");
  expect(planOf({ tokenId: "t1" })[0]).toContain("USING INDEX run_of_token ");
  expect(planOf({ kind: "gateway", tokenId: "t1" })[0]).toContain("USING INDEX run_of_token ");
  expect(planOf({ conversationId: "c1" })[0]).toContain("USING INDEX run_by_conversation ");
  expect(planOf({ conversationId: "c1", status: "failed" })[0]).toContain("USING INDEX run_by_conversation ");
  for (const status of ["waiting", "completed"] as const)
    expect(planOf({ status })[0]).toContain("USING INDEX run_by_status ");
  const kinds: RunFilter[] = [
    {},
    { kind: "workflow" },
    { kind: "gateway" },
    { kind: "gateway", tokenId: "t1" },
    { conversationId: "c1" },
    { status: "completed" },
  ];
  for (const filter of kinds) expect(planOf(filter).join()).not.toContain("TEMP B-TREE FOR ORDER BY");
  raw.close();
});
