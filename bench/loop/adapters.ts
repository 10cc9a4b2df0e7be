import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { chunksIn } from "@/lib/agent/chunks-in";
import { hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import { openProviders } from "@/lib/providers/providers";
import { openProviderNetwork } from "@/lib/server/settings/provider-network";
import { type Addresses, type Contestant, type Outcome, system } from "./tasks";

/** Providers that are reached through the AI SDK. */
type Wire = "gemini" | "claude" | "responses";

const names = {
  gemini: { provider: "google", model: "gemini-2.5-flash" },
  claude: { provider: "anthropic", model: "claude-sonnet-5" },
  responses: { provider: "openai", model: "gpt-5.4" },
} as const;
const apiKey = "none";

const bareModel: Record<Wire, (baseURL: string) => LanguageModelV4> = {
  gemini: (baseURL) => createGoogle({ apiKey, baseURL })(names.gemini.model),
  claude: (baseURL) => createAnthropic({ apiKey, baseURL })(names.claude.model),
  responses: (baseURL) => createOpenAI({ apiKey, baseURL }).responses(names.responses.model),
};

/** One turn of the SDK's own `doStream`, its parts read one by one. */
export async function openBare(wire: Wire, to: Addresses): Promise<Contestant> {
  const model = bareModel[wire](to[wire]);
  return {
    async run({ question }) {
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      const { stream } = await model.doStream({
        prompt: [
          { role: "system", content: system },
          { role: "user", content: [{ type: "text", text: question }] },
        ],
        abortSignal: new AbortController().signal,
      });
      const reader = stream.getReader();
      while (true) {
        const { value: part } = await reader.read();
        if (!part) return outcome;
        if (part.type === "error") throw part.error;
        if (part.type !== "text-delta" || !part.delta) continue;
        outcome.text += part.delta;
        outcome.pieces++;
      }
    },
  };
}

/** The same turn of the application's provider on that SDK, over its kind of connections. */
export async function openAdapter(wire: Wire, to: Addresses): Promise<Contestant> {
  const baseURL = to[wire];
  const { provider: id, model } = names[wire];
  const network = openProviderNetwork([hostAndPort(new URL(baseURL))]);
  const access = { [id]: { apiKey, baseURL, ...(wire === "responses" && { api: "responses" as const }) } };
  const provider = openProviders({ access }, network).provider(`${id}/${model}`);
  return {
    async run({ question }) {
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      const history = [{ role: "user" as const, parts: [{ type: "text" as const, text: question }] }];
      const { signal } = new AbortController();
      for await (const step of provider.stream({ system, history, tools: [], signal }))
        for (const chunk of chunksIn(step)) {
          if (chunk.type !== "text" || !chunk.content) continue;
          outcome.text += chunk.content;
          outcome.pieces++;
        }
      return outcome;
    },
  };
}
