import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { localUser } from "@/lib/server/ids";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { openBeside } from "@/lib/server/testing/open-beside";
import type { Process } from "@/lib/server/testing/world";
import { ask } from "@/lib/store/testing/postgres-server";
import { RetentionJob } from "./retention";

const dayMs = 86_400_000;
const big = 2_000_000;

async function add({ store }: Process, id: string, daysAgo: number): Promise<void> {
  const at = Date.now() - daysAgo * dayMs;
  await store.conversations.create({ ...newConversation(localUser, {}), id, updatedAt: at, createdAt: at });
  // PostgreSQL stores what repeats itself in a fraction of it.
  const text = randomBytes((big * 3) / 4).toString("base64");
  const question = { role: "user" as const, parts: [{ type: "text" as const, text }] };
  await store.messages.append(id, [
    { ...newMessage({ conversationId: id, parentId: null }, question), createdAt: at },
  ]);
  await store.conversations.update(id, { updatedAt: at });
}

function jobOf(deps: Process): RetentionJob {
  const job = new RetentionJob({
    ...deps,
    log: { ...deps.log, info: () => {} } as never,
    env: { AUTH: "local" },
    forgetServers: async () => {},
    limits: { shared: { retention: {} }, reread: async () => {} },
  });
  onTestFinished(() => job.close());
  return job;
}

async function leftOf({ store }: Process): Promise<string[]> {
  const { items } = await store.conversations.list(localUser, { limit: 50 });
  return items.map(({ id }) => id).toSorted();
}

test("of two processes that find too much at the same time one deletes it, and what is to stay stays", async () => {
  const { one, other } = await openBeside();
  for (const [at, id] of ["a", "b", "c", "d", "e", "f"].entries()) await add(one, id, 20 - at);
  const kinds = await one.store.usage();
  const total = Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0) - kinds.unused;
  await one.store.settings.set(localUser, "retention", { bytes: total - 1.5 * big });
  // It knows how much there is, and has not begun.
  const held = other.store.hold("conversations.removable");
  const late = jobOf(other).wake();
  await held.reached;
  const [first, settled] = [jobOf(one), await leftOf(one)];
  await first.wake();
  expect(await leftOf(one)).toEqual(settled);
  held.release();
  await late;
  expect(await leftOf(one)).toEqual(["c", "d", "e", "f"]);
  await first.wake();
  expect(await leftOf(one)).toEqual(["c", "d", "e", "f"]);
});

test("one that was taken for dead while it deletes does not go on, and another one does", async () => {
  const { url, one, other } = await openBeside();
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  for (const [at, id] of ["a", "b", "c"].entries()) await add(one, id, 20 - at);
  await one.store.settings.set(localUser, "retention", { days: 10 });
  const held = other.store.hold("conversations.deleteRemovable");
  const paused = jobOf(other).wake();
  await held.reached;
  const { id } = other.store.members;
  await ask(url, `delete from instance where id = '${id}'`);
  await expect.poll(() => other.store.members.id).not.toBe(id);
  await jobOf(one).wake();
  expect(await leftOf(one)).toEqual([]);
  held.release();
  await paused;
  expect(other.store.count("conversations.deleteRemovable")).toBe(1);
  expect(one.store.count("conversations.deleteRemovable")).toBe(3);
});
