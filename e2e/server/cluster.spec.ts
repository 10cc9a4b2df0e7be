import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, hang, say, until } from "@/lib/providers/testing/steps";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";
import type { PostgresServer } from "@/lib/store/testing/postgres-server";
import { apiOf } from "../support/api";
import { type Cluster, startCluster, startDatabaseServer } from "../support/cluster";
import { endOf, readStream, textOf } from "../support/follow-stream";
import { checkPromises } from "../support/promises/check-promises";
import { History } from "../support/promises/history";
import { test as base, expect } from "../support/server-test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

let server: PostgresServer;
let count = 0;
base.beforeAll(async () => {
  server = await startDatabaseServer();
});
base.afterAll(() => server.stop());

/** Two instances with one model and one MCP server, `gated`, of which each instance has a process. */
const test = base.extend<{
  startTwo(script: Script, env?: Record<string, string>): Promise<Cluster & { model: WireServer }>;
}>({
  startTwo: async ({ start, gated }, use) => {
    const ends: (() => Promise<void>)[] = [];
    await use(async (script, env = {}) => {
      const model = await startOpenAiServer(script);
      const cluster = await startCluster(server, start, {
        name: `cluster_${++count}`,
        mcpConfig: { mcpServers: { gated: { ...gated.config, perInstance: true } } },
        env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model", ...env },
      });
      ends.push(() => cluster.close().then(() => model.close()));
      return { ...cluster, model };
    });
    for (const end of ends) await end();
  },
});

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
  const [here, there] = instances.map((instance) => apiOf(at(instance)));
  if (!here || !there) throw new Error("Two were started.");

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
    return (await here?.run(runId))?.conversationId ?? "";
  }
});

/** Where an instance is when it falls: in the middle of two runs, or between storing that it calls a tool and the call. */
const falls = ["SIGKILL", "SIGSTOP", "SIGSTOP before a call"] as const;

for (const how of falls)
  test(`${how} of an instance: another one ends its runs, nothing that was seen is gone, and no call goes again`, async ({
    startTwo,
    gated,
  }) => {
    const fault = `${gated.journal}.fault`;
    writeFileSync(fault, "");
    const { instances, at, ...cluster } = await startTwo(
      ({ lastUserText, toolResults }) => {
        if (lastUserText.startsWith("call") && toolResults.length === 0)
          return [say("First."), callTools({ name: "gated__look", args: { key: lastUserText } })];
        return lastUserText.startsWith("say") ? [say("one two three"), hang] : [say("Done.")];
      },
      how === "SIGSTOP before a call" ? { NEXT_DIST_DIR: ".next-faults", FAULT: `@${fault}` } : {},
    );
    const [owner, other] = instances;
    if (!owner || !other) throw new Error("Two were started.");
    const through = apiOf(at(other));
    const history = new History(at(owner));
    const saying = await history.ask("say");
    await saying?.until((events) => textOf(events) === "one two three");
    const reader = await new History(at(other)).follow(saying?.runId ?? "");
    if (how === "SIGSTOP before a call") writeFileSync(fault, "mcp_send:1:stop");
    const calling = await history.ask("call");
    if (how === "SIGSTOP before a call") await expect.poll(() => existsSync(`${fault}.met`)).toBe(true);
    else {
      await expect.poll(() => gated.calls()).toEqual(["look"]);
      if (how === "SIGKILL") await owner.kill9();
      else process.kill(owner.pid, "SIGSTOP");
    }
    await reader.closed;
    expect(endOf(reader.events).status).toBe("interrupted");
    await expect.poll(async () => (await through.run(calling?.runId ?? "")).status).toBe("interrupted");
    // Who was paused has answers and results waiting for it when it goes on.
    gated.open();
    if (how === "SIGKILL") await owner.restart();
    else process.kill(owner.pid, "SIGCONT");
    await expect
      .poll(
        async () =>
          (
            await at(owner)
              .fetch("/api/ready")
              .catch(() => undefined)
          )?.status,
      )
      .toBe(200);
    const again = await apiOf(at(owner)).ask("Hello");
    await again.closed;
    expect(endOf(again.events).status).toBe("completed");
    await checkPromises({
      app: { ...cluster, dataDir: owner.dataDir, output: () => owner.output() + other.output() },
      ...{ rows: cluster.rows, history, journal: gated.lines(), secrets: [] },
    });
    expect(gated.calls()).toEqual(how === "SIGSTOP before a call" ? [] : ["look"]);
  });

test("PostgreSQL that crashes and comes back: no run is lost or taken over, and what was seen is there", async ({
  start,
}) => {
  const own = await startDatabaseServer();
  const rest = Promise.withResolvers<void>();
  const model = await startOpenAiServer(() => [say("one two "), until(rest.promise), say("three four")]);
  try {
    const { instances, at, rows } = await startCluster(own, start, {
      ...{ name: "crashed", mcpConfig: { mcpServers: {} } },
      env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
    });
    const [here, there] = instances.map((instance) => apiOf(at(instance)));
    if (!here || !there) throw new Error("Two were started.");
    const asked = [await here.ask("Count"), await there.ask("Count"), await here.ask("Count")];
    for (const one of asked) await one.until((events) => textOf(events) === "one two ");
    const owners = await rows("select id, owner_id from run order by id");
    await own.crash(3_000);
    rest.resolve();
    for (const one of asked) {
      await one.closed;
      expect(endOf(one.events)).toMatchObject({ status: "completed", finalText: "one two three four" });
    }
    expect(await rows("select id, owner_id from run order by id")).toEqual(owners);
    for (const { runId } of asked) {
      const read = await there.replay(runId);
      expect(endOf(read.events)).toMatchObject({ status: "completed", finalText: "one two three four" });
    }
    const again = await there.ask("Count");
    await again.closed;
    expect(endOf(again.events).status).toBe("completed");
  } finally {
    await model.close();
    await own.stop();
  }
});

test("a deploy of one instance after the other fails no request, and an answer that goes on is read to its end", async ({
  startTwo,
}) => {
  const rest = Promise.withResolvers<void>();
  const { instances, at, ...cluster } = await startTwo(({ lastUserText }) =>
    lastUserText === "Count" ? [say("one two "), until(rest.promise), say("three four")] : [say("Here.")],
  );
  const through = apiOf(cluster);
  const [first, last] = instances;
  if (!first || !last) throw new Error("Two were started.");
  const asked = await apiOf(at(last)).ask("Count");
  await asked.until((events) => textOf(events) === "one two ");
  let isOver = false;
  const statuses = new Set<string>();
  const finals: string[] = [];
  const asking = (async () => {
    while (!isOver) {
      const response = await cluster.fetch("/api/conversations");
      statuses.add(`${response.status} ${response.headers.get("retry-after") ?? ""}`.trim());
      await response.arrayBuffer();
      const answer = await through.send("POST", "/api/chat", { message: { text: "There?" } });
      if (answer.status === 200) finals.push(endOf((await readStream(answer)).events).finalText);
      else statuses.add(`${answer.status} ${answer.headers.get("retry-after") ?? ""}`.trim());
    }
  })();
  await first.restart();
  await expect.poll(() => cluster.balancer.ready()).toBe(2);
  const goesOn = Promise.all([last.restart(), setTimeout(500).then(rest.resolve)]);
  await asked.closed;
  await goesOn;
  isOver = true;
  await asking;
  expect(endOf(asked.events)).toMatchObject({ status: "completed", finalText: "one two three four" });
  expect(finals.length).toBeGreaterThan(3);
  expect(new Set(finals)).toEqual(new Set(["Here."]));
  for (const status of statuses) expect(status).toMatch(/^(200|503 \d+)$/);
});
