import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { until } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { drainRuns } from "@/lib/server/runs/stop-run";
import { callApi, readStream, withApplication } from "./testing/call-api";

const max = 5;
let held = Promise.withResolvers<void>();
const env: Record<string, string> = { MAX_RUNS: String(max) };
const server = await startOpenAiServer(() => [until(held.promise)]);
env.OPENAI_BASE_URL = server.url;
withApplication({}, env);
afterAll(() => server.close());

const ask = (clientMessageId?: string) =>
  callApi("POST", "/api/chat", { model: "openai/test-model", message: { text: "Go on." }, clientMessageId });

/** Asks so often at once; gives the streams of those that were taken, and the refusals. */
async function askMany(count: number): Promise<{ taken: Response[]; refused: Response[] }> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask()));
  return {
    taken: answers.filter(({ status }) => status === 200),
    refused: answers.filter(({ status }) => status === 503),
  };
}

/** Lets all answers end; gives how they ended. */
async function release(taken: readonly Response[]): Promise<string[]> {
  held.resolve();
  const ends = (await Promise.all(taken.map(readStream))).map(({ status }) => status);
  held = Promise.withResolvers();
  return ends;
}

const countConversations = async (): Promise<number> =>
  (await (await callApi("GET", "/api/conversations?limit=100")).json()).items.length;

test("as many runs as there are places begin, however many are asked for at once, and all of them end", async () => {
  const before = await countConversations();
  const { taken, refused } = await askMany(3 * max);
  expect([taken.length, refused.length]).toEqual([max, 2 * max]);
  for (const answer of refused) {
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({ error: { code: "overloaded" } });
  }
  // A refused message leaves nothing behind.
  expect(await countConversations()).toBe(before + max);
  expect(await release(taken)).toEqual(Array(max).fill("completed"));
  const { taken: next } = await askMany(1);
  expect(await release(next)).toEqual(["completed"]);
});

test("a message that is sent again finds its run while there is no place", async () => {
  const clientMessageId = crypto.randomUUID();
  const first = await ask(clientMessageId);
  const { taken } = await askMany(max - 1);
  expect((await ask()).status).toBe(503);
  const again = await ask(clientMessageId);
  expect(again.headers.get("x-run-id")).toBe(first.headers.get("x-run-id"));
  expect(await release([first, again, ...taken])).toEqual(Array(max + 1).fill("completed"));
});

test("from nine places in ten on it is not ready, and it is ready again", async () => {
  const { taken } = await askMany(max - 1);
  expect((await callApi("GET", "/api/ready")).status).toBe(200);
  const { taken: last } = await askMany(1);
  const busy = await callApi("GET", "/api/ready");
  expect(busy.status).toBe(503);
  expect(await busy.json()).toMatchObject({ error: { code: "overloaded" } });
  await release([...taken, ...last]);
  expect((await callApi("GET", "/api/ready")).status).toBe(200);
});

test("all places are taken when the process shuts down: each run gets its end", async () => {
  const deps = await getDeps();
  const { taken } = await askMany(max);
  const drained = drainRuns(deps, 10);
  expect(await (await ask()).json()).toMatchObject({ error: { code: "draining" } });
  await drained;
  const ends = (await Promise.all(taken.map(readStream))).map(({ status }) => status);
  expect(ends).toEqual(Array(max).fill("interrupted"));
  expect(deps.runs.count).toBe(0);
  expect(await deps.store.runs.withStatus("running")).toEqual([]);
  deps.runs.draining = false;
});
