import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { SamplingRequest } from "@/lib/mcp/questions/sampling";
import type { StepChunk } from "@/lib/protocol/chunk";
import { type Script, startAlone } from "@/lib/server/testing/world";
import { run as newRun } from "@/lib/store/testing/rows";
import type { RunOptions } from "@/lib/store/types";
import { readChain } from "./chain";
import { LiveRun } from "./live-run";
import { sample } from "./sample";

const question: SamplingRequest = {
  messages: [{ role: "user", content: [{ type: "text", text: "Name a city." }] }],
  maxTokens: 100,
};

/** A run whose server asks its model; what comes back, and what the run is told on the way. */
async function openSampling(script: Script, options: RunOptions = {}) {
  const app = await startAlone(...script);
  const row = newRun("r", { model: "scripted/model", options });
  const run = new LiveRun(row, app.store.log, await readChain(app, undefined));
  const told: StepChunk[] = [];
  const { signal } = new AbortController();
  const emit = async (chunk: StepChunk) => {
    told.push(chunk);
    run.chain.budgetUsage.add(chunk);
  };
  const ask = (request: Partial<SamplingRequest> = {}) =>
    sample(app, run, { ...question, ...request }, { signal, emit });
  return { app, ask, told };
}

test("what the model writes goes to the server; the run is told its cost and its words, and gains no message", async () => {
  const { app, ask, told } = await openSampling([[text("Na"), text("ra"), stop("end_turn")]]);
  await app.store.settings.set("system", "prices", {
    "scripted/model": { input: 1e6, cachedInput: 0, output: 1e6 },
  });
  expect(await ask({ systemPrompt: "Be short." })).toEqual({
    ...{ role: "assistant", model: "scripted/model", stopReason: "endTurn" },
    content: { type: "text", text: "Nara" },
  });
  expect(told).toEqual([
    { type: "usage", inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cost: 2 },
    { type: "notice", kind: "sampling", message: "Nara" },
  ]);
  expect(app.world.turns[0]).toMatchObject({
    ...{ system: "Be short.", tools: [] },
    history: [{ role: "user", parts: [{ type: "text", text: "Name a city." }] }],
  });
});

test("past the server's limit of tokens nothing more is waited for, and what it took is estimated", async () => {
  const never = new Promise<never>(() => {});
  const { ask, told } = await openSampling([[text("word ".repeat(50)), never]]);
  expect(await ask({ maxTokens: 10 })).toMatchObject({ stopReason: "maxTokens" });
  expect(told[0]).toMatchObject({ type: "usage", outputTokens: expect.any(Number) });
  expect(told[0]?.type === "usage" && told[0].outputTokens).toBeGreaterThan(10);
});

test("the budget of the run counts what was written for servers, and refuses the next", async () => {
  const { app, ask } = await openSampling([[text("Nara"), stop("end_turn")]], { budget: { tokens: 2 } });
  await ask();
  await expect(ask()).rejects.toThrow("The budget of this run is used up (tokens).");
  expect(app.world.turns).toHaveLength(1);
});

test("tools that the server brings are the model's, its calls go back to the server, and their results to the model", async () => {
  const tools = [{ name: "weather", description: "", inputSchema: { type: "object" } }];
  const { app, ask } = await openSampling([
    [call("a", "weather", { city: "Nara" }), stop("tool_use")],
    [text("Sunny."), stop("end_turn")],
  ]);
  const toolUse = { type: "tool_use" as const, id: "a", name: "weather", input: { city: "Nara" } };
  expect(await ask({ tools })).toMatchObject({ stopReason: "toolUse", content: [toolUse] });
  expect(app.world.turns[0]?.tools).toEqual(tools);
  const result = {
    type: "tool_result" as const,
    toolUseId: "a",
    content: [{ type: "text" as const, text: "sun" }],
  };
  const messages: SamplingRequest["messages"] = [
    ...question.messages,
    { role: "assistant", content: [toolUse] },
    { role: "user", content: [{ ...result, isError: false }] },
  ];
  expect(await ask({ tools, messages })).toMatchObject({ content: [{ type: "text", text: "Sunny." }] });
  expect(app.world.turns[1]?.history.slice(1)).toEqual([
    { role: "assistant", parts: [{ type: "tool_call", id: "a", name: "weather", args: { city: "Nara" } }] },
    { role: "tool", results: [{ id: "a", status: "ok", content: [{ type: "text", text: "sun" }] }] },
  ]);
});

test("a model that fails fails the request of the server, and costs the run nothing", async () => {
  const { ask, told } = await openSampling([[new Error("It is down.")]]);
  await expect(ask()).rejects.toThrow("It is down.");
  expect(told).toEqual([]);
});
