import { callTools, hang, say, until } from "@/lib/providers/testing/steps";
import { findRedis } from "@/lib/store/testing/find-redis.mjs";
import { openWay } from "@/lib/store/testing/lossy-way";
import { prepareRedis } from "@/lib/store/testing/redis-server";
import { apiOf } from "../support/api";
import { expect, test } from "../support/cluster-test";
import { endOf, textOf } from "../support/follow-stream";
import { History } from "../support/promises/history";

/** What Redis is like, one after the other, while answers are written. */
const states = ["absent", "there", "emptied", "parted", "whole again", "killed", "back"] as const;
type State = (typeof states)[number];

const wordsOf = (state: State) => Array.from({ length: 30 }, (_, index) => `${state} ${index} `).join("");

test("Redis is absent at the start, emptied, parted from an instance, killed and back, and answers that another instance writes are read without a gap, stopped and answered", async ({
  startTwo,
  gated,
}) => {
  const redis = await prepareRedis(findRedis() ?? "");
  const way = await openWay({ host: "127.0.0.1", port: Number(new URL(redis.url).port) });
  const turns = new Map(states.map((state) => [state, Promise.withResolvers<void>()]));
  try {
    gated.open();
    const { instances, at, check } = await startTwo(
      ({ lastUserText: asked, toolResults }) => {
        if (asked === "hang") return [say("It hangs."), hang];
        if (asked.startsWith("work"))
          return toolResults.length > 0
            ? [say("Done.")]
            : [callTools({ name: "gated__work", args: { key: asked } })];
        return states.flatMap((state) => [
          until(turns.get(state)?.promise ?? Promise.resolve()),
          say(wordsOf(state), { delayMs: 5 }),
        ]);
      },
      ({ index }) => ({
        REDIS_URL: index === 0 ? redis.url.replace(/:\d+$/, `:${way.port}`) : redis.url,
      }),
    );
    const [here, there] = [at(instances[0]), at(instances[1])];
    const history = new History(here);
    const over = history.at(there);
    const ready = (app: typeof here) => apiOf(app).get<{ bus?: "down"; liveRuns: number }>("/api/ready");
    const buses = async () => (await Promise.all([ready(here), ready(there)])).map(({ bus = "up" }) => bus);
    const become: Record<State, () => unknown> = {
      absent: () => expect(buses()).resolves.toEqual(["down", "down"]),
      there: async () => {
        await redis.start();
        await expect.poll(buses).toEqual(["up", "up"]);
      },
      emptied: async () => {
        await redis.ask("FLUSHALL");
        // Whoever listens loses its place, as with a fail-over.
        await redis.ask("CLIENT", "KILL", "TYPE", "pubsub");
      },
      parted: () => way.part(),
      "whole again": async () => {
        way.heal();
        await expect.poll(buses).toEqual(["up", "up"]);
      },
      killed: () => redis.kill(),
      back: async () => {
        await redis.start();
        await expect.poll(buses).toEqual(["up", "up"]);
      },
    };

    const asked = await history.ask("count");
    const read = await over.follow(asked?.runId ?? "");
    for (const state of states) {
      turns.get(state)?.resolve();
      await become[state]();
      await read.until((events) => textOf(events).endsWith(`${state} 29 `));
      const hanging = await history.ask("hang");
      await hanging?.until((events) => textOf(events) === "It hangs.");
      expect((await over.stop(hanging?.runId ?? "")).status).toBe(200);
      const working = await history.ask(`work ${state}`);
      await working?.closed;
      const [question] = (await apiOf(there).run(working?.runId ?? "")).pending;
      const answer = await over.answer(working?.runId ?? "", {
        requestId: question?.requestId,
        decision: "approve",
      });
      expect(answer.status).toBe(200);
    }
    await read.closed;
    const left = async () => (await Promise.all([ready(here), ready(there)])).map(({ liveRuns }) => liveRuns);
    await expect.poll(left).toEqual([0, 0]);
    expect(gated.calls()).toHaveLength(states.length);
    await check(history, []);
    expect(endOf(read.events)).toMatchObject({
      status: "completed",
      finalText: states.map(wordsOf).join(""),
    });
  } finally {
    await way.close();
    await redis.close();
  }
});
