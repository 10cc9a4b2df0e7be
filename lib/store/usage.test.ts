import { expect, test } from "vitest";
import { conversation, events, message, run, share } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

const removable = async (store: Awaited<ReturnType<typeof openTempStore>>, changedBefore = 9_999) =>
  (await store.conversations.removable("ann", { limit: 10, changedBefore })).map(({ id }) => id);

test("only what nobody keeps is removable, changed longest ago first", async () => {
  const store = await openTempStore();
  await store.projects.add(
    { id: "p1", userId: "ann", name: "Refunds", instructions: "", files: [], createdAt: 1 },
    { count: 1, bytes: 1_000 },
  );
  const kept = ["pinned", "filed", "shared", "running", "waiting", "bob's", "new"];
  const names = [...kept, "old", "older", "revoked", "expired", "ended"];
  for (const [at, id] of names.entries())
    await store.conversations.create(
      conversation({
        id,
        pinned: id === "pinned",
        projectId: id === "filed" ? "p1" : null,
        userId: id === "bob's" ? "bob" : "ann",
        updatedAt: id === "new" ? 10_000 : 5_000 - at,
      }),
    );
  for (const status of ["running", "waiting"] as const)
    await store.runs.create(run(status, { conversationId: status, status }));
  await store.runs.create(run("ended", { conversationId: "ended", status: "completed" }));
  await store.shares.create(share("shared", { conversationId: "shared" }));
  await store.shares.create(share("later", { conversationId: "shared", expiresAt: Date.now() + 60_000 }));
  await store.shares.create(share("revoked", { conversationId: "revoked", revokedAt: 1 }));
  await store.shares.create(share("expired", { conversationId: "expired", expiresAt: 1 }));
  expect(await removable(store)).toEqual(["ended", "expired", "revoked", "older", "old"]);
  expect(await removable(store, 4_991)).toEqual(["ended", "expired"]);
  const page = await store.conversations.removable("ann", { limit: 2, changedBefore: 9_999 });
  const [, after] = page;
  const rest = await store.conversations.removable("ann", {
    limit: 10,
    changedBefore: 9_999,
    ...(after && { after }),
  });
  expect([...page, ...rest].map(({ id }) => id)).toEqual(await removable(store));
});

test("what is kept meanwhile is not deleted, and what is deleted goes with everything", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  await store.runs.create(run("r1", { status: "completed" }));
  await store.log.append("r1", events(1, 100), true);
  const [row] = await store.conversations.removable("ann", { limit: 1, changedBefore: 9_999 });
  if (!row) throw new Error("there is one");
  expect(await store.conversations.size("c1")).toBeGreaterThan(1_000);
  await store.conversations.update("c1", { pinned: true });
  expect(await store.conversations.deleteRemovable("ann", row)).toBe(false);
  await store.conversations.update("c1", { pinned: false });
  expect(await store.conversations.deleteRemovable("ann", { ...row, updatedAt: row.updatedAt - 1 })).toBe(
    false,
  );
  expect(await store.conversations.deleteRemovable("bob", row)).toBe(false);
  expect(await store.conversations.deleteRemovable("ann", row)).toBe(true);
  expect(await store.conversations.get("ann", "c1")).toBeUndefined();
  expect(await store.log.lastSeq("r1")).toBe(0);
  expect(await store.conversations.size("c1")).toBe(0);
});
