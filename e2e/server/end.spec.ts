import { dirname } from "node:path";
import { hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { endOf, textOf } from "../support/follow-stream";
import { isAlive, processesWith } from "../support/processes";
import { expect, test } from "../support/server-test";

/** Only the children of this application have its folder in their command lines. */
const childrenOf = (app: App) => () => processesWith(dirname(app.sandbox));

async function allReady(app: App): Promise<void> {
  await expect
    .poll(async () => (await apiOf(app).servers()).items.map(({ status }) => status))
    .toEqual(["ready", "ready", "ready"]);
  // The memory server has its folder in the environment only.
  expect(childrenOf(app)()).not.toEqual([]);
}

test("no child outlives kill -9", async ({ start }) => {
  const app = await start();
  await allReady(app);
  const pids = (await apiOf(app).servers()).items.map(({ pid }) => pid);
  expect(pids.filter((pid) => isAlive(pid ?? 0))).toHaveLength(3);
  await app.kill9();
  await expect.poll(childrenOf(app)).toEqual([]);
  expect(pids.filter((pid) => isAlive(pid ?? 0))).toEqual([]);
});

test("SIGTERM lets an answer finish, takes no new one, ends with code 0 and leaves no child", async ({
  startWithModel,
}) => {
  const words = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
  const { app } = await startWithModel([[say(words, { delayMs: 60 })]]);
  const api = apiOf(app);
  await allReady(app);
  const live = await api.ask("Count");
  await live.until((events) => textOf(events).includes("b"));
  const stopped = app.stop();
  await expect.poll(app.output).toContain("Stopping");

  const refused = await api.send("POST", "/api/chat", { message: { text: "Another" } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await refused.json()).toMatchObject({ error: { code: "draining" } });
  const ready = await app.fetch("/api/ready");
  expect([ready.status, ready.headers.get("connection")]).toEqual([503, "close"]);
  // A reader that lost its line finds the rest.
  const second = await api.follow(live.runId);
  await live.closed;
  expect(endOf(live.events)).toMatchObject({ status: "completed", finalText: words });
  await second.closed;
  expect(textOf(second.events)).toBe(words);
  expect(await stopped).toBe(0);
  await expect.poll(childrenOf(app)).toEqual([]);
});

test("SIGTERM lets forty answers finish, each with all of its words", async ({ startWithModel }) => {
  const words = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
  const { app } = await startWithModel([[say(words, { delayMs: 60 })]]);
  const api = apiOf(app);
  const asked = await Promise.all(Array.from({ length: 40 }, (_, at) => api.ask(`Count ${at}`)));
  expect(await app.stop()).toBe(0);
  await app.restart();
  for (const { runId } of asked) {
    const { events } = await api.replay(runId);
    expect([endOf(events).status, textOf(events)]).toEqual(["completed", words]);
  }
});

test("a second SIGTERM ends at once, and the next start marks what it cut short", async ({
  startWithModel,
}) => {
  const { app } = await startWithModel([[say("So far "), hang]]);
  const api = apiOf(app);
  await allReady(app);
  const live = await api.ask("Go on for ever");
  await live.until((events) => textOf(events) !== "");
  process.kill(app.pid, "SIGTERM");
  await expect.poll(app.output).toContain("Stopping");
  // Two within half a second count as one: npm passes Ctrl+C on although everybody has it.
  await expect
    .poll(
      () => {
        try {
          return process.kill(app.pid, "SIGTERM");
        } catch {
          return false;
        }
      },
      { intervals: [200] },
    )
    .toBe(false);
  await live.closed;
  await expect.poll(childrenOf(app)).toEqual([]);
  await app.restart();
  expect(await api.run(live.runId)).toMatchObject({ status: "interrupted" });
  expect(endOf((await api.replay(live.runId)).events).finalText).toBe("So far ");
});

test("an answer that is not done DRAIN_SECONDS after SIGTERM is marked by the process itself, which ends with code 0", async ({
  startWithModel,
}) => {
  const { app } = await startWithModel([[say("So far "), hang]], {
    ...{ mcpConfig: { mcpServers: {} }, env: { DRAIN_SECONDS: "1" } },
  });
  const api = apiOf(app);
  const live = await api.ask("Go on for ever");
  await live.until((events) => textOf(events) !== "");
  expect(await app.stop()).toBe(0);
  await live.closed;
  const end = { status: "interrupted", stopReason: "interrupted", finalText: "So far " };
  expect(endOf(live.events)).toMatchObject(end);
  await app.restart();
  expect(endOf((await api.replay(live.runId)).events)).toMatchObject(end);
});
