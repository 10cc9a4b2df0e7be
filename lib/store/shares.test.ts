import { expect, test } from "vitest";
import { BadCursorError } from "./errors";
import { conversation, share } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

async function openShared() {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  return store.shares;
}

test("a share is found by id and token, counts its views and can be changed", async () => {
  const shares = await openShared();
  await shares.create(share("s1"));
  await shares.countView("s1");
  await shares.countView("s1");
  expect(await shares.get("ann", "s1")).toEqual(share("s1", { views: 2 }));
  expect(await shares.byToken("hash of s1")).toEqual(share("s1", { views: 2 }));
  expect(await shares.get("ben", "s1")).toBeUndefined();
  expect(await shares.byToken("another")).toBeUndefined();

  const snapshot = { ...share("s1").snapshot, title: "Newer" };
  await shares.update("s1", { snapshot, title: "Newer", expiresAt: 8000 });
  await shares.update("s1", {});
  await shares.update("s1", { expiresAt: null, revokedAt: 9000 });
  expect(await shares.get("ann", "s1")).toEqual(
    share("s1", { views: 2, snapshot, title: "Newer", revokedAt: 9000 }),
  );
});

test("revoking all of them wipes the copies of those that were open, and leaves the others as they were", async () => {
  const shares = await openShared();
  await shares.create(share("s1"));
  await shares.create(share("s2", { revokedAt: 5000 }));
  await shares.revokeAll(9000);
  const empty = { title: "", createdAt: new Date(9000).toISOString(), messages: [], runs: [] };
  expect(await shares.get("ann", "s1")).toEqual(share("s1", { revokedAt: 9000, snapshot: empty }));
  expect(await shares.get("ann", "s2")).toEqual(share("s2", { revokedAt: 5000 }));
});

test("a share that is revoked stays as it is, whatever was on its way to it", async () => {
  const shares = await openShared();
  const empty = { ...share("s1").snapshot, title: "", messages: [] };
  await shares.create(share("s1"));
  await shares.update("s1", { revokedAt: 9000, snapshot: empty });
  await shares.update("s1", { snapshot: share("s1").snapshot, title: "Back", expiresAt: null });
  expect(await shares.get("ann", "s1")).toEqual(share("s1", { revokedAt: 9000, snapshot: empty }));
});

test("two shares never have the same token", async () => {
  const shares = await openShared();
  await shares.create(share("s1"));
  await expect(shares.create(share("s2", { tokenHash: "hash of s1" }))).rejects.toMatchObject({
    code: "duplicate",
  });
});

test("a list is newest first, without snapshots, page by page", async () => {
  const shares = await openShared();
  for (const [id, createdAt] of [
    ["a", 1],
    ["b", 3],
    ["c", 3],
    ["d", 2],
  ] as const)
    await shares.create(share(id, { createdAt }));
  await shares.create(share("x", { userId: "ben" }));
  const first = await shares.list("ann", { limit: 3 });
  const second = await shares.list("ann", { limit: 3, cursor: first.nextCursor ?? "" });
  expect(first.items.map(({ id }) => id)).toEqual(["c", "b", "d"]);
  expect(second).toMatchObject({ items: [{ id: "a", createdAt: 1 }], nextCursor: null });
  const { snapshot: _, ...listed } = share("c", { createdAt: 3 });
  expect(first.items[0]).toEqual(listed);
  await expect(shares.list("ann", { limit: 3, cursor: "WzFd" })).rejects.toThrow(BadCursorError);
});
