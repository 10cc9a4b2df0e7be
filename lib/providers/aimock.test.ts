import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { executeWithTools } from "@/lib/agent/execute-with-tools";
import type { ToolBox } from "@/lib/agent/ports";
import { withRetry } from "@/lib/agent/with-retry";
import { openProviders } from "./providers";
import { turn, user } from "./testing/turn";
import type { ProviderConfig } from "./types";

// The same wires as somebody else has written them: what our own servers get wrong in the same way as our adapters.
const mock = new LLMock({ port: 0, logLevel: "silent" });
beforeAll(() => mock.start());
afterAll(() => mock.stop());

const apiKey = "sk-nobody";
const wires: Record<string, { model: string; config: () => ProviderConfig }> = {
  Gemini: {
    model: "google/gemini-2.5-flash",
    config: () => ({ access: { google: { apiKey, baseURL: `${mock.url}/v1beta` } } }),
  },
  OpenAI: {
    model: "openai/gpt-4o",
    config: () => ({ access: { openai: { apiKey, baseURL: `${mock.url}/v1` } } }),
  },
  Responses: {
    model: "openai/gpt-5.4",
    config: () => ({ access: { openai: { apiKey, baseURL: `${mock.url}/v1`, api: "responses" } } }),
  },
  Anthropic: {
    model: "anthropic/claude-sonnet-4",
    config: () => ({ access: { anthropic: { apiKey, baseURL: `${mock.url}/v1` } } }),
  },
};

const tools: ToolBox = {
  list: () => [
    {
      name: "weather__now",
      description: "The weather of a city.",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
  call: async ({ id, args }) => ({
    id,
    status: "ok",
    content: [{ type: "text", text: `Sunny in ${args.city}` }],
  }),
};

describe.each(Object.entries(wires))("%s, as aimock speaks it", (name, { model, config }) => {
  const ask = (text: string, box?: ToolBox) =>
    executeWithTools({
      provider: withRetry(openProviders(config()).provider(model), { delayMs: 1 }),
      system: "You help.",
      history: [user(text)],
      signal: AbortSignal.timeout(20_000),
      ...(box && { tools: box }),
    });

  test("text and reasoning", async () => {
    mock.onMessage(`${name} greets`, { content: "こんにちは, friend.", reasoning: "They greet me." });
    const result = await ask(`${name} greets`);
    expect(result).toMatchObject({ stopReason: "end_turn", finalText: "こんにちは, friend." });
  });

  test("a tool call, its result, and the answer after it", async () => {
    const question = `${name} asks for the weather`;
    const finishReason = name === "Gemini" ? { finishReason: "stop" } : {};
    mock.on(
      { userMessage: question, hasToolResult: false },
      { toolCalls: [{ name: "weather__now", arguments: '{"city":"京都"}' }], ...finishReason },
    );
    mock.on({ userMessage: question, hasToolResult: true }, { content: "It is sunny in Kyoto." });
    const result = await ask(question, tools);
    expect(result).toMatchObject({
      stopReason: "end_turn",
      finalText: "It is sunny in Kyoto.",
      iterationsUsed: 2,
    });
    const asking = result.historyDelta[0];
    expect(asking?.role === "assistant" && asking.parts.at(-1)).toMatchObject({
      ...{ type: "tool_call", name: "weather__now", args: { city: "京都" } },
    });
    // Reasoning without a word of its own is kept for what is encrypted in it.
    if (name === "Responses")
      expect(asking).toMatchObject({
        parts: [{ text: "", signature: expect.stringContaining("encrypted") }, {}],
      });
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain("Sunny in 京都");
  });

  test("an answer at its limit of length", async () => {
    const finishReason = "length";
    mock.onMessage(`${name} writes much`, { content: "Once upon a", finishReason });
    expect(await ask(`${name} writes much`)).toMatchObject({
      // Of Responses it says so in a field that nobody reads, and leaves out `incomplete_details`.
      stopReason: name === "Responses" ? "end_turn" : "max_tokens",
      finalText: "Once upon a",
    });
  });

  test("a busy server is asked again, a broken one says what is wrong", async () => {
    mock.onMessage(`${name} waits`, { content: "Now." });
    mock.nextRequestError(503, { message: "overloaded" });
    expect(await ask(`${name} waits`)).toMatchObject({ stopReason: "end_turn", finalText: "Now." });
    mock.onMessage(`${name} is refused`, { error: { message: "no such key" }, status: 401 });
    expect(await ask(`${name} is refused`)).toMatchObject({ stopReason: "error", error: { code: "auth" } });
  });

  test("a stream that breaks off keeps what came, and is no success", async () => {
    const content = "This is a long answer that breaks off somewhere in the middle of it.";
    mock.onMessage(
      `${name} breaks off`,
      { content },
      {
        ...{ truncateAfterChunks: name === "Responses" ? 10 : 4, chunkSize: 8, latency: 5 },
      },
    );
    const result = await ask(`${name} breaks off`);
    expect(result).toMatchObject({ stopReason: "error", error: { code: "unavailable" } });
    expect(result.finalText).toMatch(/^This is /);
    expect(content.startsWith(result.finalText)).toBe(true);
    expect(result.finalText.length).toBeLessThan(content.length);
  });
});

test("a turn of each wire names the model that was chosen", async () => {
  for (const { model, config } of Object.values(wires)) {
    mock.onMessage("who are you", { content: "Me." });
    for await (const _ of openProviders(config())
      .provider(model)
      .stream(turn([user("who are you")])));
    expect(JSON.stringify(mock.getLastRequest())).toContain(model.slice(model.indexOf("/") + 1));
  }
});
