import { expect, it } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, fail, hang, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, type ReadStream, readStream, withApplication } from "./testing/call-api";

withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { TOOL_APPROVAL: "allow", AGENTS_DIR: "agents" },
);

/** One run against a scripted model that speaks OpenAI's wire; a function answers every turn. */
async function ask(script: Step[][] | (() => Step[]), more: object = {}, traits: object | null = null) {
  const model = await startOpenAiServer(script);
  const models = { "openai/test-model": traits };
  await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: model.url } }, models });
  try {
    const message = { text: "Go" };
    const run = await readStream(
      await callApi("POST", "/api/chat", { message, model: "openai/test-model", ...more }),
    );
    return { run, turns: model.requests.length, tools: model.requests.map(({ tools }) => tools) };
  } finally {
    await callApi("PATCH", "/api/settings", { providers: { openai: null } });
    await model.close();
  }
}

const resultOf = ({ chunks }: ReadStream) => {
  const last = chunks.at(-1);
  return last?.type === "result" ? last.result : undefined;
};
const toolResults = ({ chunks }: ReadStream) =>
  chunks.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result : []));

it("asks a person before a third turn on a tool that does not exist", async () => {
  const { run, turns } = await ask(() => [callTools({ name: "nobody__knows" })]);
  expect(turns).toBe(3);
  expect(toolResults(run).map(({ status }) => status)).toEqual(["error", "error"]);
  expect(run.status).toBe("waiting");
  expect(run.chunks.at(-2)).toMatchObject({ type: "budget_request", limit: "repeat", of: 3 });
});

it("runs eight equal calls of one turn", async () => {
  const eight = Array.from({ length: 8 }, () => ({ name: "plain__wait", args: { ms: 1 } }));
  const { run } = await ask([[callTools(...eight)], [say("Done.")]]);
  expect(toolResults(run).map(({ status }) => status)).toEqual(Array(8).fill("ok"));
  expect(resultOf(run)).toMatchObject({ stopReason: "end_turn", finalText: "Done." });
});

it("names the setting that helps where a model takes tools only by an API that its server lacks, and it does help", async () => {
  const said =
    "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.";
  const refused = await ask([[fail(400, said)]]);
  expect(refused.run.status).toBe("failed");
  expect(resultOf(refused.run)?.error?.message).toMatch(
    /asks for the Responses API, which the model server does not have .* Set its tool calls to "As JSON" in Settings → Models/,
  );
  const asJson = await ask([[say('{"response": "Here I am."}')]], {}, { toolCalls: "json" });
  expect(resultOf(asJson.run)).toMatchObject({ stopReason: "end_turn", finalText: "Here I am." });
  expect(asJson.tools).toEqual([[]]);
});

it("answers arguments that are too large or too deep with a result that the model reads", async () => {
  const levels = 50_000;
  const deep = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const large = `{"ms":"${"x".repeat(3_000_000)}"}`;
  const { run, turns } = await ask([
    [callTools({ name: "plain__wait", written: deep })],
    [callTools({ name: "plain__wait", written: large }), hang],
    [say("Smaller, then.")],
  ]);
  expect(turns).toBe(3);
  const texts = toolResults(run).map(({ content: [first] }) => first?.type === "text" && first.text);
  expect(texts).toEqual([
    "Not run: the arguments are nested deeper than 100 levels. Write them flatter.",
    "Not run: the arguments of this turn are larger than 1000000 characters. Write less at a time, for example in parts.",
  ]);
  expect(resultOf(run)).toMatchObject({ stopReason: "end_turn", finalText: "Smaller, then." });
  // What a reader gets of 3 MB.
  expect(JSON.stringify(run.chunks).length).toBeLessThan(300_000);
});

it("shows the limits that are in force, for chats and for agents", async () => {
  const read = async () => (await (await callApi("GET", "/api/settings")).json()).limitsInForce;
  expect(await read()).toMatchObject({
    chat: { maxIterations: 10, timeoutMs: 120_000, callsAtOnce: 10, rounds: null },
    agent: { maxIterations: 10, timeoutMs: 600_000, callsAtOnce: 10, rounds: 10 },
  });
  const limits = { maxIterations: 4, timeoutMs: 60_000, toolExecution: "sequential", budget: { tokens: 9 } };
  const set = await (await callApi("PATCH", "/api/settings", { limits })).json();
  const held = { maxIterations: 4, timeoutMs: 60_000, callsAtOnce: 1, firstTokenMs: 90_000 };
  expect(set.limitsInForce).toMatchObject({ chat: held, agent: held });
  expect(set.limitsInForce.chat.budget).toBeUndefined();
  await callApi("PATCH", "/api/settings", { limits: {} });
  expect((await read()).chat.maxIterations).toBe(10);
});

it("ends when the model asks for a tool and no server is on: the history says so, and no further turn is billed", async () => {
  const { run, turns } = await ask(() => [callTools({ name: "plain__wait" })], { servers: [] });
  expect(turns).toBe(1);
  expect(run.status).toBe("failed");
  expect(resultOf(run)).toMatchObject({
    error: { code: "no_tools", message: "The model asked for a tool, but no tools are connected." },
  });
  const { messages } = await (await callApi("GET", `/api/conversations/${run.conversationId}`)).json();
  expect(messages.at(-1)).toMatchObject({
    role: "tool",
    results: [{ status: "error", content: [{ text: expect.stringContaining("no tools are available") }] }],
  });
});
