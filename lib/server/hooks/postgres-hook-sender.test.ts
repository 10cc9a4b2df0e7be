import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readEnv } from "@/lib/server/env";
import { localPerson } from "@/lib/server/http/guard";
import { openReceiver, verify } from "@/lib/server/testing/receiver";
import { conversation, message, result, run, runEnd } from "@/lib/store/testing/rows";
import { openSharedStores } from "@/lib/store/testing/temp-store";
import { HookSender } from "./hook-sender";
import { addHook, listDeliveries, listHooks } from "./hooks";

const userId = localPerson.id;

test("of several instances one sends each delivery, and what one leaves another one sends", async () => {
  const stores = await openSharedStores(3);
  const receiver = await openReceiver();
  const shared = {
    env: readEnv({ PRIVATE_HOSTS: "127.0.0.1:*" }),
    secrets: { appSecret: "the secret of this test", launchToken: "" },
    log: pino({ level: "silent" }),
  };
  const all = stores.map((store) => ({ ...shared, store }));
  const [one, other] = all;
  if (!one || !other) throw new Error("Three were opened.");
  await one.store.conversations.create(conversation({ userId }));
  await one.store.messages.append("c1", [message("q", null)]);
  const { id, secret } = await addHook(one, localPerson, { url: receiver.url, events: ["run.completed"] });
  // Before anybody sends: as if the instance of each run had died with its end.
  const { messages, ...end } = runEnd(result());
  for (const [at, { store }] of [...all, ...all, ...all, ...all].entries()) {
    await store.runs.create(run(`r${at}`, { userId, parentId: `r${at}` }));
    const over = { status: "completed" as const, endedAt: Date.now(), iterations: [], result: end };
    await store.runs.finish(`r${at}`, over, []);
  }
  for (const deps of all) {
    const sender = new HookSender(deps);
    sender.start();
    onTestFinished(() => sender.close());
  }
  await expect.poll(() => receiver.received.length).toBe(12);
  for (const each of receiver.received) await verify(each, secret);
  expect(new Set(receiver.received.map((each) => each.id)).size).toBe(12);
  await expect.poll(async () => (await listHooks(other, localPerson)).items[0]?.lastDay.arrived).toBe(12);
  const { items } = await listDeliveries(other, localPerson, id, { limit: 50 });
  expect(new Set(items.map(({ attempts }) => attempts))).toEqual(new Set([1]));
  expect(receiver.received).toHaveLength(12);
});
