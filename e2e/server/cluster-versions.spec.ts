import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say, until } from "@/lib/providers/testing/steps";
import { comeAndGo, newerLine } from "@/lib/store/testing/newer-instance";
import { claimNext, nextVersion, startNext, thisVersion } from "@/lib/store/testing/newer-tables";
import type { PostgresServer } from "@/lib/store/testing/postgres-server";
import { apiOf } from "../support/api";
import { type Cluster, startCluster, startDatabaseServer } from "../support/cluster";
import { endOf, readStream, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

let server: PostgresServer;
test.beforeAll(async () => {
  server = await startDatabaseServer();
});
test.afterAll(() => server.stop());

/** Lists and asks through the balancer, several at a time, until it is told to stop; gives what came of it. */
function keepAsking(cluster: Cluster) {
  const statuses = new Set<string>();
  const finals: string[] = [];
  let isOver = false;
  const note = ({ status, headers }: Response) =>
    statuses.add(`${status} ${headers.get("retry-after") ?? ""}`.trim());
  const ask = async () => {
    while (!isOver) {
      const list = await cluster.fetch("/api/conversations");
      note(list);
      await list.arrayBuffer();
      const answer = await apiOf(cluster).send("POST", "/api/chat", { message: { text: "There?" } });
      note(answer);
      if (answer.status === 200) finals.push(endOf((await readStream(answer)).events).finalText);
    }
  };
  const asking = Promise.all([ask(), ask(), ask()]);
  /** Resolves when so many more answers have ended. */
  const more = async (count: number) => {
    const enough = finals.length + count;
    await expect.poll(() => finals.length, { timeout: 60_000 }).toBeGreaterThan(enough);
  };
  const stop = async () => {
    isOver = true;
    await asking;
    return { statuses: [...statuses], finals };
  };
  return { more, stop };
}

test("a newer version adds to the tables while two instances of this one work: nothing fails, what only it knows stays, and each can start again", async ({
  start,
}, info) => {
  const rest = Promise.withResolvers<void>();
  const model = await startOpenAiServer(({ lastUserText }) =>
    lastUserText === "Count" ? [say("one two "), until(rest.promise), say("three four")] : [say("Here.")],
  );
  const cluster = await startCluster(server, start, {
    ...{ name: "versions", mcpConfig: { mcpServers: {} } },
    env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
  });
  try {
    const { instances, at, rows } = cluster;
    const [first, last] = instances;
    if (!first || !last) throw new Error("Two were started.");
    const ready = async (instance: typeof first) => (await at(instance).fetch("/api/ready")).status;
    const url = server.url("versions");
    const asked = await apiOf(at(last)).ask("Count");
    await asked.until((events) => textOf(events) === "one two ");
    const load = keepAsking(cluster);
    await load.more(5);
    await startNext(url);
    await load.more(10);

    // An instance of the next version, which writes a line and asks for something that nobody here knows, and dies.
    const newer = await comeAndGo(
      { dataDir: info.outputPath("newer"), databaseUrl: url },
      { userId: "local", askFor: asked.runId },
    );
    await rows("update newer_thing set body = 'changed'");
    const outcome = async () =>
      (await rows(`select outcome from run_command where id = '${newer.commandId}'`))[0]?.outcome;
    await expect.poll(outcome).toContain('"other_version"');
    await expect.poll(async () => (await apiOf(cluster).run(newer.runId)).status).toBe("interrupted");
    const read = await apiOf(cluster).replay(newer.runId);
    // Without what nobody here knows to be fit for others.
    const { type } = newerLine;
    expect(read.events).toContainEqual(expect.objectContaining({ event: "chunk", data: { type } }));

    await first.restart();
    await expect.poll(() => cluster.balancer.ready()).toBe(2);
    await load.more(10);
    rest.resolve();
    await asked.closed;
    expect(endOf(asked.events)).toMatchObject({ status: "completed", finalText: "one two three four" });
    const { statuses, finals } = await load.stop();
    expect(new Set(finals)).toEqual(new Set(["Here."]));
    for (const status of statuses) expect(status).toMatch(/^(200|503 \d+)$/);
    expect(await rows("select newer from conversation where newer is null")).toEqual([]);

    // What it has left is for itself alone from now on.
    await first.stop();
    await rows(claimNext(nextVersion));
    const refusal = `written by a newer Meguri (schema ${nextVersion}, which needs ${nextVersion} or newer; this one knows ${thisVersion})`;
    await expect(first.restart()).rejects.toThrow(refusal);
    await expect.poll(() => ready(last)).toBe(503);
    expect(last.output()).toContain(refusal);
    const write = await at(last).fetch("/api/chat", {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ message: { text: "There?" } }),
    });
    expect([write.status, write.headers.has("retry-after")]).toEqual([503, true]);
    await rows(claimNext(thisVersion));
    await expect.poll(() => ready(last)).toBe(200);
  } finally {
    rest.resolve();
    await cluster.close();
    await model.close();
  }
});
