import { callTools, hang, say, until } from "@/lib/providers/testing/steps";
import { openDatabaseWay } from "@/lib/store/testing/lossy-way";
import { apiOf } from "../support/api";
import { expect, test } from "../support/cluster-test";
import { endOf, logged, textOf } from "../support/follow-stream";
import { History } from "../support/promises/history";

/** What becomes of the bytes that were on their way, once the network is whole again. */
const ends = { "arrives late": undefined, "is lost": "forNewOnly" } as const;

for (const [what, how] of Object.entries(ends))
  test(`an instance is parted from PostgreSQL, and what it sends ${what}: another one ends its runs, it writes and calls nothing, and joins again`, async ({
    startTwo,
    database,
    gated,
  }) => {
    const way = await openDatabaseWay(database.url("postgres"));
    const parted = Promise.withResolvers<void>();
    try {
      const { instances, at, check } = await startTwo(
        ({ lastUserText: asked, toolResults }) => {
          const look = callTools({ name: "gated__look", args: { key: `${asked} ${toolResults.length}` } });
          if (asked === "say") return [say("one two "), until(parted.promise), say("three four"), hang];
          if (asked === "call later") return [say("one two "), until(parted.promise), look];
          return asked === "call" && toolResults.length < 2 ? [look] : [say("Done.")];
        },
        ({ index, database: url }) => (index === 0 ? { DATABASE_URL: way.over(url) } : {}),
      );
      const [lone, other] = [at(instances[0]), at(instances[1])];
      const api = apiOf(lone);
      const ready = async () => (await api.send("GET", "/api/ready")).status;
      const history = new History(lone);
      const asked = [];
      for (const text of ["say", "call later", "call"]) asked.push(await history.ask(text));
      const cut = asked.map((one) => one?.runId ?? "");
      const read = [];
      for (const runId of cut) read.push(await history.at(other).follow(runId));
      for (const one of [...read, ...asked].filter((_, index) => index % 3 < 2))
        await one?.until((events) => textOf(events) === "one two ");
      await expect.poll(() => gated.calls()).toEqual(["look"]);

      way.part();
      // Its models and its tool go on.
      parted.resolve();
      gated.open();
      await expect.poll(ready).toBe(503);
      const refused = history.ask("Hello");
      for (const one of read) await one.closed;
      await check(history, cut);
      for (const one of read) expect(endOf(one.events).status).toBe("interrupted");
      expect(await refused).toBeUndefined();
      expect(history.refusals.at(-1)).toMatchObject({ request: "POST /api/chat", status: 503 });

      way.heal(how);
      await expect.poll(ready).toBe(200);
      for (const one of asked) {
        await one?.closed;
        // As a page does, also where it broke off.
        const rest = await history.follow(one?.runId ?? "", logged(one?.events ?? []).at(-1)?.id);
        await rest.closed;
        expect(rest.events.at(-1)).toEqual({ event: "end", data: { status: "interrupted" } });
      }
      const again = await history.ask("Hello");
      await again?.closed;
      await check(history, cut);
      expect(endOf(again?.events ?? []).status).toBe("completed");
      expect(gated.calls()).toEqual(["look"]);
    } finally {
      await way.close();
    }
  });
