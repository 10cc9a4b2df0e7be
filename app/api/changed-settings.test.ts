import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say, until } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const env: Record<string, string> = {};
let turns: Step[][] = [];
const server = await startOpenAiServer(() => turns.shift() ?? [say("Nothing more.")]);
env.OPENAI_BASE_URL = server.url;
afterAll(() => server.close());
withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { TOOL_APPROVAL: "allow", ...env },
);

const patch = (change: object) => callApi("PATCH", "/api/settings", change);
const settings = async () => (await callApi("GET", "/api/settings")).json();
const ask = (message = { text: "Go" }) =>
  callApi("POST", "/api/chat", { model: "openai/test-model", message });
const callWait = [callTools({ name: "plain__wait", args: { ms: 1 } })];

test("a rule that is made while a run begins holds for the calls that are judged after it", async () => {
  const held = Promise.withResolvers<void>();
  turns = [callWait, [until(held.promise), ...callWait], [say("Done.")]];
  await patch({ rules: [] });
  const answer = await ask();
  // The first call was allowed; the rule comes before the second one is judged.
  await expect.poll(() => turns.length).toBe(1);
  await patch({ rules: [{ pattern: "mcp:plain:wait", effect: "deny" }] });
  held.resolve();
  const { chunks } = await readStream(answer);
  const results = chunks.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result.status : []));
  expect(results).toEqual(["ok", "denied"]);
  await patch({ rules: [] });
});

test("what two tabs change at once is what the next run and the next reader have", async () => {
  const changes = Array.from({ length: 10 }, (_, at) => ({ limits: { maxIterations: at + 1 } }));
  await Promise.all([...changes.map(patch), ...changes.map(settings)]);
  const { limits } = await settings();
  const { runId } = await readStream(await ask());
  const run = await (await callApi("GET", `/api/runs/${runId}`)).json();
  expect(run.iterations[0].limit).toBe(limits.maxIterations);
  await patch({ limits: {} });
  expect((await settings()).limits).toEqual({});
});

test("a default model may be one of an endpoint that comes with it", async () => {
  const endpoint = { id: "fresh", name: "Fresh", baseURL: "http://127.0.0.1:1/v1", models: ["one"] };
  await patch({ endpoints: [endpoint], defaultModel: "fresh/one" });
  expect(await settings()).toMatchObject({ defaultModel: "fresh/one" });
  await patch({ endpoints: [], defaultModel: null });
});

test("of a change whose default model is not there, nothing is kept", async () => {
  const before = await settings();
  const models = { "openai/test-model": { effort: "low" } };
  const refused = await patch({ defaultModel: "nowhere/one", models, instructions: "Be brief." });
  expect([refused.status, await settings()]).toEqual([400, before]);
  const { items } = await (await callApi("GET", "/api/models")).json();
  expect(items.filter(({ traits }: { traits?: object }) => traits)).toEqual([]);
});

test("a default model and a price count from the next message on", async () => {
  turns = [[say("One.")], [say("Two.")]];
  const askDefault = async () => {
    const { chunks } = await readStream(await callApi("POST", "/api/chat", { message: { text: "Go" } }));
    return chunks.some((chunk) => chunk.type === "usage" && chunk.cost !== undefined);
  };
  await patch({ defaultModel: "openai/test-model" });
  expect(await askDefault()).toBe(false);
  await patch({ prices: { "openai/test-model": { input: 1, output: 1 } } });
  expect(await askDefault()).toBe(true);
  expect(turns).toHaveLength(0);
});
