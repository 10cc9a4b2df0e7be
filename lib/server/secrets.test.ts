import { expect, test } from "vitest";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { checkAppSecret } from "./secrets";
import { gated } from "./testing/gated-store";

// Two processes that start at the same time on one database: both have read before either writes.

async function startBoth(former: string | undefined, secrets: [string, string], changed?: "accept") {
  const store = await openTempStore();
  const start = (appSecret: string, on = gated(store), accepted = changed) =>
    checkAppSecret({ env: { APP_SECRET_CHANGED: accepted }, store: on, secrets: { appSecret } });
  if (former !== undefined) await start(former);
  const processes = secrets.map((appSecret) => ({ appSecret, on: gated(store) }));
  const held = processes.map(({ on }) => on.hold("settings.update"));
  const starts = Promise.allSettled(processes.map(({ appSecret, on }) => start(appSecret, on)));
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  const outcomes = (await starts).map((outcome) =>
    outcome.status === "fulfilled" ? "started" : outcome.reason.name,
  );
  return { outcomes, restart: (appSecret: string) => start(appSecret, gated(store), undefined) };
}

test("of two first starts with different secrets one is refused", async () => {
  const { outcomes, restart } = await startBoth(undefined, ["one secret", "another"]);
  expect(outcomes).toEqual(["started", "StartError"]);
  await restart("one secret");
  await expect(restart("another")).rejects.toThrow("APP_SECRET");
});

test("two first starts with one secret both start", async () => {
  expect((await startBoth(undefined, ["one secret", "one secret"])).outcomes).toEqual(["started", "started"]);
});

test("of two starts that both accept a change of the secret, to different ones, one is refused", async () => {
  const { outcomes, restart } = await startBoth("former", ["one secret", "another"], "accept");
  expect(outcomes).toEqual(["started", "StartError"]);
  await restart("one secret");
});
