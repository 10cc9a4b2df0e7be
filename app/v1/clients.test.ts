import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { callTools, fail, say, usage } from "@/lib/providers/testing/steps";
import { allOf, launchToken, servePrograms, testModel } from "./testing/ask-over-openai";

const entry = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const { address, answers, asked } = await servePrograms({ fixture: entry }, { TOOL_APPROVAL: "allow" });

const baseURL = `${address}/v1`;
const inputSchema = z.object({ city: z.string() });
const weather = tool({
  ...{ description: "Tells the weather.", inputSchema },
  execute: async ({ city }) => `Rain in ${city}`,
});
const errand = () =>
  answers(
    [
      say("One moment."),
      callTools({ name: "fixture__echo", args: { a: 1 } }, { name: "weather", args: { city: "Kyoto" } }),
    ],
    [say("Take an umbrella."), usage(9, 4)],
  );
/** What the model had read when it gave its last answer. */
const results = () => asked().at(-1)?.toolResults;

const openAi = createOpenAI({ baseURL, apiKey: launchToken });
const compatible = createOpenAICompatible({
  ...{ name: "meguri", baseURL, apiKey: launchToken },
  ...{ includeUsage: true, supportsStructuredOutputs: true },
});

test.each([
  ["OpenAI's", openAi.chat(testModel)],
  ["a compatible one's", compatible(testModel)],
])("the AI SDK's provider, %s: words, use, tools of both, JSON and errors", async (_, model) => {
  const request = { model, maxRetries: 0 };
  answers([say("Good day to you."), usage(7, 3)]);
  const whole = await generateText({ ...request, system: "Be brief.", prompt: "Hello" });
  expect([whole.text, whole.finishReason, whole.usage.inputTokens]).toEqual(["Good day to you.", "stop", 7]);
  const streamed = streamText({ ...request, prompt: "Hello" });
  expect((await allOf(streamed.textStream)).length).toBeGreaterThan(1);
  expect([await streamed.text, (await streamed.usage).totalTokens]).toEqual(["Good day to you.", 10]);
  const steps = { ...request, prompt: "What is the weather?", tools: { weather }, stopWhen: stepCountIs(3) };
  errand();
  const done = await generateText(steps);
  expect([done.text, done.steps.length]).toEqual(["Take an umbrella.", 2]);
  expect(results()).toEqual(['echo {"a":1}', "Rain in Kyoto"]);
  errand();
  const live = streamText(steps);
  expect((await allOf(live.textStream)).join("")).toBe("One moment.Take an umbrella.");
  expect(results()).toEqual(['echo {"a":1}', "Rain in Kyoto"]);
  answers([say('{"city": "Kyoto"}')]);
  const output = Output.object({ schema: inputSchema });
  const object = await generateText({ ...request, prompt: "Which city?", output });
  expect(object.output).toEqual({ city: "Kyoto" });
  answers([fail(400, "maximum context length is 8192 tokens")]);
  await expect(generateText({ ...request, prompt: "Hello" })).rejects.toMatchObject({ statusCode: 400 });
});

test("LangChain: words, use, tools of both, JSON and errors", async () => {
  const fields = { model: testModel, apiKey: launchToken, maxRetries: 0, configuration: { baseURL } };
  const model = new ChatOpenAI({ ...fields, useResponsesApi: false });
  answers([say("Good day to you."), usage(7, 3)]);
  const whole = await model.invoke([new SystemMessage("Be brief."), new HumanMessage("Hello")]);
  expect(whole).toMatchObject({ text: "Good day to you.", usage_metadata: { total_tokens: 10 } });
  const pieces = await allOf(await model.stream("Hello"));
  expect(pieces.map(({ text }) => text).join("")).toBe("Good day to you.");
  const told = { name: "weather", description: "Tells the weather.", schema: inputSchema };
  const bound = model.bindTools([langchainTool(async ({ city }) => `Rain in ${city}`, told)]);
  errand();
  const question = new HumanMessage("What is the weather?");
  const asks = await bound.invoke([question]);
  expect(asks.tool_calls).toMatchObject([{ name: "weather", args: { city: "Kyoto" } }]);
  const result = new ToolMessage({ tool_call_id: asks.tool_calls?.[0]?.id ?? "", content: "Rain in Kyoto" });
  expect((await bound.invoke([question, asks, result])).text).toBe("Take an umbrella.");
  expect(results()).toEqual(['echo {"a":1}', "Rain in Kyoto"]);
  answers([say('{"city": "Kyoto"}')]);
  const shaped = model.withStructuredOutput(inputSchema, { name: "city", method: "jsonSchema" });
  expect(await shaped.invoke("Which city?")).toEqual({ city: "Kyoto" });
  answers([fail(401, "bad key")]);
  await expect(model.invoke("Hello")).rejects.toMatchObject({ status: 502 });
});
