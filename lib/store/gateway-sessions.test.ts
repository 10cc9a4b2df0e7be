import { expect, test } from "vitest";
import type { GatewaySessionRow } from "./kept-ports";
import { conversation, message, result, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

const session = (id: string, patch: Partial<GatewaySessionRow> = {}): GatewaySessionRow => ({
  ...{ id, userId: "ann", tokenId: "t1", conversationId: null, createdAt: 1000, lastSeenAt: 1000 },
  ...{ client: { name: "an-editor", version: "1.2" }, protocol: "2025-11-25", capabilities: { roots: {} } },
  ...patch,
});

test("of the sessions of a person those give way that have not been used for longest", async () => {
  const { gatewaySessions } = await openTempStore();
  for (const id of ["a", "b", "c"])
    await gatewaySessions.add(session(id, { lastSeenAt: id.charCodeAt(0) }), 3);
  await gatewaySessions.add(session("theirs", { userId: "ben", lastSeenAt: 1 }), 3);
  await gatewaySessions.noteUsed("a", 5000);
  await gatewaySessions.add(session("d", { lastSeenAt: 6000 }), 3);
  const isThere = async (id: string) => (await gatewaySessions.get(id)) !== undefined;
  expect(await Promise.all(["a", "b", "c", "d", "theirs"].map(isThere))).toEqual([
    true,
    false,
    true,
    true,
    true,
  ]);
  expect(await gatewaySessions.get("a")).toEqual({
    ...session("a", { lastSeenAt: 5000 }),
    hasWaiting: false,
  });
  await gatewaySessions.deleteUnused(5000);
  expect(await Promise.all(["a", "c", "d", "theirs"].map(isThere))).toEqual([true, false, true, false]);
  expect(await gatewaySessions.delete("a")).toBe(true);
  expect(await gatewaySessions.delete("a")).toBe(false);
});

test("of those who change the wishes of a session at once each changes what the other has left", async () => {
  const { gatewaySessions } = await openTempStore();
  await gatewaySessions.add(session("a"), 3);
  await gatewaySessions.change("a", (wishes) => ({ ...wishes, logLevel: "info" }));
  const find = (name: string) =>
    gatewaySessions.change("a", ({ found = [], ...others }) => ({ ...others, found: [...found, name] }));
  await Promise.all(["w", "x", "y", "z"].map(find));
  const row = await gatewaySessions.get("a");
  expect(row?.found?.toSorted()).toEqual(["w", "x", "y", "z"]);
  expect(row).toMatchObject(session("a", { logLevel: "info" }));
  await gatewaySessions.change("gone", () => ({}));
  expect(await gatewaySessions.get("gone")).toBeUndefined();
});

test("of two who give a session its conversation the second learns that it has one", async () => {
  const { gatewaySessions } = await openTempStore();
  await gatewaySessions.add(session("a"), 3);
  expect(await gatewaySessions.setConversation("a", null, "c1")).toBe(true);
  expect(await gatewaySessions.setConversation("a", null, "c2")).toBe(false);
  expect(await gatewaySessions.setConversation("a", "c1", "c3")).toBe(true);
  expect((await gatewaySessions.get("a"))?.conversationId).toBe("c3");
});

test("a session tells whether a run of its calls waits", async () => {
  const store = await openTempStore();
  const hasWaiting = async (id: string) => (await store.gatewaySessions.get(id))?.hasWaiting;
  await store.conversations.create(conversation({ origin: "gateway", readOnly: true }));
  await store.gatewaySessions.add(session("a", { conversationId: "c1" }), 3);
  await store.gatewaySessions.add(session("b"), 3);
  await store.runs.create(run("r1", { origin: "gateway" }));
  expect(await hasWaiting("a")).toBe(false);
  await store.runs.finish("r1", { status: "waiting", endedAt: 4000, result: runEnd(), iterations: [] }, []);
  expect(await hasWaiting("a")).toBe(true);
  expect(await hasWaiting("b")).toBe(false);
  await store.runs.transition("r1", "waiting", "stopped");
  expect(await hasWaiting("a")).toBe(false);
});

test("calls of programs stand side by side in a conversation that no list and no search has", async () => {
  const store = await openTempStore();
  const begin = (id: string, first: boolean) =>
    store.runs.begin(run(id, { messageId: `q-${id}`, parentId: `q-${id}`, origin: "gateway" }), {
      ...(first && { conversation: conversation({ origin: "gateway", readOnly: true }) }),
      question: message(`q-${id}`, null),
      isBranch: true,
      leaf: { stays: true },
    });
  await begin("r1", true);
  await begin("r2", false);
  for (const id of ["r1", "r2"])
    await store.runs.finish(id, { status: "completed", endedAt: 4000, result: runEnd(), iterations: [] }, [
      message(`a-${id}`, `q-${id}`, { message: result().historyDelta[0] ?? { role: "user", parts: [] } }),
    ]);
  await store.conversations.create(conversation({ id: "c2" }));
  const page = { limit: 10 };
  expect((await store.conversations.list("ann", page)).items.map(({ id }) => id)).toEqual(["c2"]);
  expect(await store.conversations.count("ann")).toEqual({ listed: 1, archived: 0 });
  expect((await store.outlines.all("ann")).map(({ id }) => id)).toEqual(["c2"]);
  expect(await store.conversations.updateMany("ann", ["c1"], { archived: true })).toEqual([]);
  expect((await store.search.messages("ann", "hello", page)).items).toEqual([]);
  expect((await store.search.messages("ann", "text", page)).items).toEqual([]);
  expect(await store.conversations.get("ann", "c1")).toMatchObject({ origin: "gateway", readOnly: true });
  const runs = async (kind: "chat" | "gateway") =>
    (await store.runs.list("ann", { ...page, kind })).items.map(({ id, origin }) => `${id} ${origin}`);
  expect(await runs("gateway")).toEqual(["r2 gateway", "r1 gateway"]);
  expect(await runs("chat")).toEqual([]);
});
