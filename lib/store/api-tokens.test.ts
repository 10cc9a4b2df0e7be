import { expect, test } from "vitest";
import { openTempStore, tempDir } from "./testing/temp-store";
import type { ApiTokenRow } from "./token-ports";

const row = (id: string, more: Partial<ApiTokenRow> = {}): ApiTokenRow & { tokenHash: string } => ({
  ...{ id, userId: "ann", name: id, start: "mgr_abc", scopes: ["read"], createdAt: 1 },
  ...{ options: {}, expiresAt: null, lastUsedAt: null, tokenHash: `hash of ${id}`, ...more },
});

test("tokens are one person's, newest first, and no more than so many", async () => {
  const store = await openTempStore();
  for (const id of ["a", "b"]) expect(await store.tokens.add(row(id), 2)).toBe(true);
  expect(await store.tokens.add(row("c"), 2)).toBe(false);
  expect(await store.tokens.add(row("d", { userId: "ben" }), 2)).toBe(true);
  expect((await store.tokens.list("ann")).map(({ id }) => id)).toEqual(["b", "a"]);
  expect(await store.tokens.delete("ben", "a")).toBe(false);
  expect(await store.tokens.delete("ann", "a")).toBe(true);
  await store.tokens.deleteAll("ann");
  expect(await store.tokens.list("ann")).toEqual([]);
  expect(await store.tokens.list("ben")).toHaveLength(1);
});

test("tokens outlive the deletion of everything, and a restart", async () => {
  const dataDir = tempDir();
  const store = await openTempStore({ dataDir });
  await store.tokens.add(row("a"), 2);
  await store.tokens.noteUsed("a", 7);
  await store.empty();
  await store.close();
  const later = await openTempStore({ dataDir });
  const { tokenHash, ...kept } = row("a", { lastUsedAt: 7 });
  expect(await later.tokens.list("ann")).toEqual([kept]);
  expect((await later.tokens.byHash(tokenHash))?.token.id).toBe("a");
});

test("one that was given by OAuth gets its next value once, whoever asks at the same time, and none once it is revoked", async () => {
  const store = await openTempStore();
  const grant = {
    clientId: "c",
    code: "k",
    asked: { challenge: "x", redirectUri: "https://a.example/" },
    endsAt: 9,
  };
  const options = { servers: ["notes"] };
  await store.tokens.add(row("a", { options, grant, expiresAt: 5 }), 1);
  expect(await store.tokens.byId("b")).toBeUndefined();
  expect(await store.tokens.byId("a")).toMatchObject({ options, grant, tokenHash: "hash of a" });
  const next = {
    start: "mgr_n",
    expiresAt: 7,
    grant: { clientId: "c", code: "k", refresh: "r", endsAt: 10 },
  };
  const to = (tokenHash: string) => store.tokens.renew("a", "hash of a", { ...next, tokenHash });
  const won = await Promise.all(["one", "two", "three"].map(to));
  expect(won.filter(Boolean)).toHaveLength(1);
  const there = await store.tokens.byId("a");
  expect(there).toMatchObject({ ...next, options });
  expect(there?.grant).toEqual(next.grant);
  await store.tokens.revoke("ann", "a", 8, 2);
  expect(await store.tokens.renew("a", there?.tokenHash ?? "", { ...next, tokenHash: "later" })).toBe(false);
  expect(await store.tokens.byId("a")).toMatchObject({ revokedAt: 8 });
});

test("one that is revoked is found by no hash and counts no more; of several the newest stay", async () => {
  const store = await openTempStore();
  const options = { servers: ["notes"], onApproval: "fail" as const };
  await store.tokens.add(row("a", { options }), 1);
  expect(await store.tokens.revoke("ben", "a", 5, 2)).toBe(false);
  expect(await store.tokens.revoke("ann", "a", 5, 2)).toBe(true);
  expect(await store.tokens.revoke("ann", "a", 6, 2)).toBe(false);
  expect(await store.tokens.byHash("hash of a")).toBeUndefined();
  expect(await store.tokens.list("ann")).toMatchObject([{ id: "a", options, revokedAt: 5 }]);
  for (const [at, id] of ["b", "c"].entries()) {
    expect(await store.tokens.add(row(id), 1)).toBe(true);
    await store.tokens.revoke("ann", id, 10 + at, 2);
  }
  expect((await store.tokens.list("ann")).map(({ id }) => id)).toEqual(["c", "b"]);
});
