import { sql } from "kysely";
import { expect, test } from "vitest";
import { openTempStore } from "./testing/temp-store";
import type { ApiTokenRow } from "./token-ports";

const row = (id: string, more: Partial<ApiTokenRow> = {}): ApiTokenRow & { tokenHash: string } => ({
  ...{ id, userId: "ann", name: id, start: "mgr_abc", scopes: ["read"], createdAt: 1 },
  ...{ options: {}, expiresAt: null, lastUsedAt: null, tokenHash: `hash of ${id}`, ...more },
});

test("whose a token is takes one statement, by an index", async () => {
  const statements: string[] = [];
  const store = await openTempStore({ onStatement: (statement) => statements.push(statement) });
  await store.tokens.add(row("a"), 2);
  statements.length = 0;
  expect(await store.tokens.byHash("hash of a")).toEqual({
    token: expect.objectContaining({ id: "a" }),
    owner: undefined,
  });
  expect(statements).toHaveLength(1);
  const { rows } = await sql<{
    detail: string;
  }>`explain query plan ${sql.raw(statements[0]?.replace("?", "'x'") ?? "")}`.execute(
    store.accounts.database.db,
  );
  expect(rows.map(({ detail }) => detail).join("\n")).not.toContain("SCAN");
  expect(await store.tokens.byHash("hash of b")).toBeUndefined();
});
