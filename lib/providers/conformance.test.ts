import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText } from "ai";
import { expect, test } from "vitest";
import { openProviders } from "./providers";
import { startAnthropicServer } from "./testing/anthropic-server";
import { startGeminiServer } from "./testing/gemini-server";
import { startOpenAiServer } from "./testing/openai-server";
import { startResponsesServer } from "./testing/responses-server";
import { callTools, say, think, usage } from "./testing/steps";
import { callsOf, collect, textOf, tool, turn, user } from "./testing/turn";

const stream = [
  think("Which one? どれ?", { pieces: 3 }),
  say("I look into **both**. 両方を見ます。", { pieces: 9 }),
  callTools(
    { name: "a__one", args: { path: "日本" } },
    { name: "a__two", args: { deep: { list: [1, null] } } },
  ),
  usage(21, 8),
];

const wires = {
  google: {
    name: "gemini-2.5-flash",
    start: () => startGeminiServer([stream]),
    model: (baseURL: string) => createGoogle({ apiKey: "k", baseURL })("gemini-2.5-flash"),
  },
  openai: {
    name: "qwen3",
    start: () => startOpenAiServer([stream]),
    model: (baseURL: string) =>
      createOpenAICompatible({ name: "openai", baseURL, includeUsage: true })("qwen3"),
  },
  responses: {
    name: "gpt-5.4",
    start: () => startResponsesServer([stream]),
    model: (baseURL: string) => createOpenAI({ apiKey: "k", baseURL }).responses("gpt-5.4"),
  },
  anthropic: {
    name: "claude-sonnet-5",
    start: () => startAnthropicServer([stream]),
    model: (baseURL: string) => createAnthropic({ apiKey: "k", baseURL })("claude-sonnet-5"),
  },
};

test.each(["google", "openai", "responses", "anthropic"] as const)(
  "%s: streamText reads the same text and calls from the same stream",
  async (wire) => {
    const server = await wires[wire].start();
    try {
      const any = { inputSchema: jsonSchema<Record<string, unknown>>({ type: "object" }) };
      const theirs = streamText({
        model: wires[wire].model(server.url),
        prompt: "Go",
        tools: { a__one: any, a__two: any },
        maxRetries: 0,
      });
      const { source, api } = wire === "responses" ? { source: "openai", api: wire } : { source: wire };
      const access = { [source]: { apiKey: "k", baseURL: server.url, ...(api && { api }) } };
      const provider = openProviders({ access }).provider(`${source}/${wires[wire].name}`);
      const { chunks, error } = await collect(
        provider,
        turn([user("Go")], { tools: [tool("a__one"), tool("a__two")] }),
      );
      expect(error).toBeUndefined();
      expect(textOf(chunks)).toBe(await theirs.text);
      expect(chunks.flatMap((chunk) => (chunk.type === "reasoning" ? chunk.content : [])).join("")).toBe(
        await theirs.reasoningText,
      );
      expect(callsOf(chunks).map(({ name, args }) => [name, args])).toEqual(
        (await theirs.toolCalls).map(({ toolName, input }) => [toolName, input]),
      );
      const { inputTokens, outputTokens } = await theirs.usage;
      expect(chunks.at(-1)).toEqual({ type: "usage", stopReason: "tool_use", inputTokens, outputTokens });
    } finally {
      await server.close();
    }
  },
);
