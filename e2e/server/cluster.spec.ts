import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { StreamEvent } from "@/lib/protocol/sse";
import { callTools, hang, say, until } from "@/lib/providers/testing/steps";
import type { PostgresServer } from "@/lib/store/testing/postgres-server";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expect, test } from "../support/cluster-test";
import { followHints } from "../support/follow-hints";
import { endOf, type Following, logged, readStream, textOf } from "../support/follow-stream";
import { History } from "../support/promises/history";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

test("two instances that start at once are one Meguri: what one has is read, stopped and answered at the other", async ({
  startTwo,
  gated,
}) => {
  const rest = Promise.withResolvers<void>();
  const { instances, at, ...cluster } = await startTwo(({ lastUserText, toolResults }) => {
    if (lastUserText === "Call" && toolResults.length === 0)
      return [callTools({ name: "gated__work", args: { key: "k" } })];
    if (lastUserText === "Hang") return [say("It hangs."), hang];
    return [say("one two "), until(rest.promise), say("three four")];
  });
  const [here, there] = [apiOf(at(instances[0])), apiOf(at(instances[1]))];

  // Read while it is written, by somebody who has come to another instance.
  const asked = await here.ask("Count");
  await asked.until((events) => textOf(events) === "one two ");
  const read = await there.follow(asked.runId);
  await read.until((events) => textOf(events) === "one two ");
  rest.resolve();
  await Promise.all([asked.closed, read.closed]);
  expect(endOf(read.events)).toMatchObject({ status: "completed", finalText: "one two three four" });
  expect(textOf(read.events)).toBe(textOf(asked.events));

  // What is in the memory of one instance alone would be gone with the next request.
  const temporary = await here.send("POST", "/api/chat", { message: { text: "Hi" }, temporary: true });
  expect(await temporary.text()).toContain("no temporary chats where Meguri runs as several instances");

  // Stopped from there.
  const hanging = await here.ask("Hang");
  await hanging.until((events) => textOf(events) !== "");
  await there.post(`/api/runs/${hanging.runId}/stop`);
  await hanging.closed;
  expect(endOf(hanging.events).status).toBe("stopped");

  // Asked for here, allowed there, and called once.
  gated.open();
  const calling = await here.ask("Call");
  await calling.closed;
  const [question] = (await there.run(calling.runId)).pending;
  const decide = () =>
    there.send("POST", `/api/runs/${calling.runId}/answer`, {
      ...{ requestId: question?.requestId, decision: "approve" },
    });
  const answers = await Promise.all([decide(), decide()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await expect
    .poll(async () => (await here.conversation(await conversationOf(calling.runId))).runs.at(-1)?.status)
    .toBe("completed");
  expect(gated.calls()).toEqual(["work"]);

  const items = await apiOf(cluster).get<{ items: unknown[] }>("/api/conversations");
  expect(items.items).toHaveLength(3);
  expect(await there.get("/api/conversations")).toEqual(await here.get("/api/conversations"));

  async function conversationOf(runId: string) {
    return (await here.run(runId)).conversationId;
  }
});

test("who is told of changes by one instance hears of what is done through the other, and goes there when that one ends", async ({
  startTwo,
}) => {
  const { instances, at, ...cluster } = await startTwo(() => [say("Done.")]);
  const [first, last] = instances;
  if (!first || !last) throw new Error("Two were started.");
  const [here, there] = [apiOf(at(first)), apiOf(at(last))];
  const hints = await followHints(await at(last).fetch("/api/events"));
  const toldOf = async (change: () => Promise<unknown>, hint: string) => {
    hints.told.splice(0);
    await change();
    await expect.poll(() => hints.told).toContain(hint);
  };
  await toldOf(() => here.post("/api/conversations", { title: "A talk" }), "conversations");
  const { items } = await there.get<{ items: { id: string }[] }>("/api/conversations");
  const path = `/api/conversations/${items[0]?.id}`;
  await toldOf(() => here.patch(path, { title: "Another" }), "conversations");
  await toldOf(async () => (await here.ask("Hello")).closed, "conversations");
  await toldOf(() => here.send("DELETE", path), "conversations");
  await toldOf(() => here.patch("/api/settings", { displayName: "Aiko" }), "settings");

  const ending = await followHints(await at(first).fetch("/api/events"));
  const stopped = first.stop();
  await expect.poll(() => ending.hasEnded).toBe(true);
  const refused = await at(first).fetch("/api/events");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  await expect.poll(() => cluster.balancer.ready()).toBe(1);
  const again = await followHints(await cluster.fetch("/api/events"));
  await there.post("/api/conversations", {});
  await expect.poll(() => again.told).toEqual(["conversations"]);
  expect(await stopped).toBe(0);
  expect(hints.hasEnded).toBe(false);
});

/** Where an instance is when it falls: in the middle of two runs, or at a fault point. */
const falls = {
  SIGKILL: undefined,
  SIGSTOP: undefined,
  "SIGSTOP between storing a call and making it": "mcp_send:1:stop",
  "SIGSTOP in a transaction": "database_write:1:stop",
} as const;

for (const [how, fault] of Object.entries(falls))
  test(`${how} of an instance: another one ends its runs, nothing that was seen is gone, and no call goes again`, async ({
    startTwo,
    gated,
  }) => {
    const armed = `${gated.journal}.fault`;
    writeFileSync(armed, "");
    const { instances, at, check } = await startTwo(
      ({ lastUserText, toolResults }) => {
        if (lastUserText === "call" && toolResults.length === 0)
          return [say("First."), callTools({ name: "gated__look", args: { key: lastUserText } })];
        return lastUserText === "say" ? [say("one two three"), hang] : [say("Done.")];
      },
      ({ index }) => (fault && index === 0 ? { NEXT_DIST_DIR: ".next-faults", FAULT: `@${armed}` } : {}),
    );
    const [fallen, other] = instances;
    const history = new History(at(fallen));
    const saying = await history.ask("say");
    await saying?.until((events) => textOf(events) === "one two three");
    const reader = await history.at(at(other)).follow(saying?.runId ?? "");
    if (fault) writeFileSync(armed, fault);
    const calling = history.ask("call");
    if (fault) await expect.poll(() => existsSync(`${armed}.met`)).toBe(true);
    else await expect.poll(() => gated.calls()).toEqual(["look"]);
    if (how === "SIGKILL") await fallen.kill9();
    else if (!fault) process.kill(fallen.pid, "SIGSTOP");
    // What it has locked keeps nobody waiting for long.
    const meanwhile = await history.at(at(other)).ask("Hello");
    await Promise.race([reader.closed, setTimeout(30_000)]);
    const hasBegun = fault !== falls["SIGSTOP in a transaction"];
    const cut = [saying?.runId ?? "", (hasBegun && (await calling)?.runId) || ""];
    if (hasBegun) await Promise.race([untilEnded(at(other), cut[1]), setTimeout(30_000)]);
    await check(history, cut);
    expect(endOf(reader.events).status).toBe("interrupted");
    await meanwhile?.closed;
    expect(endOf(meanwhile?.events ?? []).status).toBe("completed");

    // Who was paused has answers and results waiting for it when it goes on.
    gated.open();
    if (how === "SIGKILL") await fallen.restart();
    else process.kill(fallen.pid, "SIGCONT");
    expect((await calling) !== undefined).toBe(hasBegun);
    await expect.poll(() => statusOf(at(fallen))).toBe(200);
    const again = await history.ask("Hello");
    await again?.closed;
    await check(history, cut);
    expect(endOf(again?.events ?? []).status).toBe("completed");
    expect(gated.calls()).toEqual(fault ? [] : ["look"]);
  });

async function untilEnded(app: Pick<App, "fetch">, runId = ""): Promise<void> {
  await expect.poll(async () => (await apiOf(app).run(runId)).status).not.toBe("running");
}

const statusOf = (app: Pick<App, "fetch">): Promise<number | undefined> =>
  app.fetch("/api/ready").then(
    ({ status }) => status,
    () => undefined,
  );

for (const [what, goAway] of [
  ["crashes and comes back", ({ crash }) => crash(3_000)],
  ["is restarted and away for ten seconds", ({ restart }) => restart(9_500)],
] satisfies [string, (database: PostgresServer) => Promise<void>][])
  test(`PostgreSQL that ${what}: no run is lost or taken over, and what was seen is there`, async ({
    database,
    startTwo,
  }) => {
    const leaving = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    // They come while the server is away, too.
    const words = Array.from({ length: 40 }, (_, index) => `${index} `).join("");
    const { instances, at, rows, balancer, check } = await startTwo(() => [
      ...[say("one two "), until(leaving.promise), say(words, { delayMs: 50 })],
      ...[until(rest.promise), say("three four")],
    ]);
    const [here, there] = instances.map(at) as [Pick<App, "fetch">, Pick<App, "fetch">];
    const history = new History(here);
    const asked = [];
    for (const over of [here, there, here]) asked.push(await history.at(over).ask("Count"));
    const read = [];
    for (const one of asked) read.push(await history.at(there).follow(one?.runId ?? ""));
    const owners = await rows("select id, owner_id from run order by id");
    for (const one of [...asked, ...read]) await one?.until((events) => textOf(events) === "one two ");
    leaving.resolve();
    await goAway(database);
    rest.resolve();
    for (const one of [...asked, ...read]) await one?.closed;
    await expect.poll(() => balancer.ready()).toBe(2);
    const ends = [];
    for (const [index, one] of [...asked, ...read].entries())
      ends.push(await readOn(history.at(there), asked[index % 3]?.runId, one?.events));
    await check(history, []);
    for (const events of ends)
      expect(endOf(events)).toMatchObject({ status: "completed", finalText: `one two ${words}three four` });
    expect(await rows("select id, owner_id from run order by id")).toEqual(owners);
    const again = await history.at(there).ask("Count");
    await again?.closed;
    expect(endOf(again?.events ?? []).status).toBe("completed");
  });

/** What a page has of a run whose stream may have broken off: it comes back with the last number. */
async function readOn(history: History, runId = "", events: readonly StreamEvent[] = []) {
  if (events.at(-1)?.event === "end") return events;
  // What is not there any more is for the check to find, which says what was promised.
  const rest = await history.follow(runId, logged(events).at(-1)?.id).catch(() => undefined);
  await rest?.closed;
  return [...events, ...(rest?.events ?? [])];
}

test("a deploy of one instance after the other fails no request, and an answer that goes on is read to its end", async ({
  startTwo,
}) => {
  const rest = Promise.withResolvers<void>();
  const { instances, at, check, ...cluster } = await startTwo(({ lastUserText }) =>
    lastUserText === "Count" ? [say("one two "), until(rest.promise), say("three four")] : [say("Here.")],
  );
  const through = apiOf(cluster);
  const [first, last] = instances;
  const history = new History(at(last));
  const asked = await history.ask("Count");
  await asked?.until((events) => textOf(events) === "one two ");
  let isOver = false;
  const statuses = new Set<string>();
  const answers: Following[] = [];
  const asking = (async () => {
    while (!isOver) {
      const response = await cluster.fetch("/api/conversations");
      statuses.add(`${response.status} ${response.headers.get("retry-after") ?? ""}`.trim());
      await response.arrayBuffer();
      const answer = await through.send("POST", "/api/chat", { message: { text: "There?" } });
      if (answer.status === 200) answers.push(await readStream(answer));
      else statuses.add(`${answer.status} ${answer.headers.get("retry-after") ?? ""}`.trim());
    }
  })();
  await first.restart();
  await expect.poll(() => cluster.balancer.ready()).toBe(2);
  const goesOn = Promise.all([last.restart(), setTimeout(500).then(rest.resolve)]);
  await asked?.closed;
  await goesOn;
  isOver = true;
  await asking;
  await check(history, []);
  expect(endOf(asked?.events ?? [])).toMatchObject({ status: "completed", finalText: "one two three four" });
  expect(answers.length).toBeGreaterThan(3);
  expect(new Set(answers.map(({ events }) => endOf(events).finalText))).toEqual(new Set(["Here."]));
  for (const status of statuses) expect(status).toMatch(/^(200|503 \d+)$/);
});
