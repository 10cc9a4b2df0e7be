import { expect, test } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import type { ToolCallId } from "@/lib/protocol/ids";
import { newMessage } from "@/lib/server/new-rows";
import { ask, ended, user } from "@/lib/server/testing/run-kit";
import { startAlone } from "@/lib/server/testing/world";
import { readConversation } from "./conversations";
import { openConversation } from "./open-conversation";

test("a run that goes on comes with all that it has brought, and the number of the last of it", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([text("One "), text("two "), held.promise, text("three."), stop("end_turn")]);
  const { id, conversationId } = await ask(app);
  await expect.poll(() => said(app.runs.get(id)?.chunks)).toBe("One two ");
  const opened = await openConversation(app, user, conversationId);
  expect(opened?.detail.messages.map(({ role }) => role)).toEqual(["user"]);
  expect(opened?.live?.run).toMatchObject({ runId: id, conversationId });
  expect(said(opened?.live?.chunks)).toBe("One two ");
  expect(opened?.live?.seq).toBe(app.runs.get(id)?.chunks.length);
  held.resolve();
  await ended(app, { id });
  const after = await openConversation(app, user, conversationId);
  expect(after?.live).toBeNull();
  expect(after?.detail.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("what changes while it is read is fetched by the page", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([text("One "), held.promise, text("two."), stop("end_turn")]);
  const { id, conversationId } = await ask(app);
  await expect.poll(() => said(app.runs.get(id)?.chunks)).toBe("One ");
  // The messages have been read, and the run ends before anybody looks whether it goes on.
  const gate = app.store.hold("messages.children");
  const opening = openConversation(app, user, conversationId);
  await gate.reached;
  held.resolve();
  await ended(app, { id });
  gate.release();
  expect(await opening).toBeNull();
});

test("of a run with more than a page takes along nothing is read", async () => {
  const held = Promise.withResolvers<void>();
  const long = "Many words. ".repeat(1_000);
  const app = await startAlone([
    ...Array.from({ length: 20 }, () => text(long)),
    held.promise,
    stop("end_turn"),
  ]);
  const { id, conversationId } = await ask(app);
  await expect.poll(() => said(app.runs.get(id)?.chunks).length).toBe(20 * long.length);
  const before = app.store.count("messages.branch");
  expect(await openConversation(app, user, conversationId)).toBeNull();
  expect(app.store.count("messages.branch")).toBe(before);
  held.resolve();
  await ended(app, { id });
});

test("what is long without being text is not taken along either", async () => {
  const app = await startAlone([text("Done."), stop("end_turn")]);
  const { conversationId } = await ended(app, await ask(app));
  const opened = await openConversation(app, user, conversationId);
  const parentId = opened?.detail.messages.at(-1)?.id ?? null;
  const numbers = Array.from({ length: 100_000 }, (_, at) => at);
  const result = {
    id: "a" as ToolCallId,
    status: "ok" as const,
    content: [],
    structuredContent: { numbers },
  };
  const row = newMessage({ conversationId, parentId }, { role: "tool", results: [result] }, { runId: "r" });
  await app.store.messages.append(conversationId, [row]);
  await app.store.conversations.update(conversationId, { leafId: row.id });
  expect((await readConversation(app, user, conversationId, { limit: 8 })).messages).toHaveLength(3);
  expect(await openConversation(app, user, conversationId)).toBeNull();
});

test("of a conversation that has grown too long the last turns come, each with its question", async () => {
  const app = await startAlone([text("Done."), stop("end_turn")]);
  const { conversationId } = await ended(app, await ask(app));
  const lengths = [250_000, 10, 10, 10];
  let parentId = (await openConversation(app, user, conversationId))?.detail.messages.at(-1)?.id ?? null;
  for (const [at, length] of lengths.entries())
    for (const role of ["user", "assistant", "assistant"] as const) {
      const message = { role, parts: [{ type: "text" as const, text: `${at} ${"x".repeat(length)}` }] };
      const row = newMessage({ conversationId, parentId }, message, { runId: role === "user" ? null : "r" });
      await app.store.messages.append(conversationId, [row]);
      parentId = row.id;
    }
  await app.store.conversations.update(conversationId, { leafId: parentId ?? "" });
  const opened = await openConversation(app, user, conversationId);
  // Eight messages would begin in the middle of the second answer.
  expect(opened?.detail.messages.map(({ role }) => role)).toEqual([
    ...["user", "assistant", "assistant", "user", "assistant", "assistant"],
  ]);
  expect(opened?.detail.hasMore).toBe(true);
});

const said = (chunks: readonly { type: string; content?: string }[] = []): string =>
  chunks.map((chunk) => (chunk.type === "text" ? chunk.content : "")).join("");
