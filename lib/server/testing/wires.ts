import { openProviders } from "@/lib/providers/providers";
import { adapters } from "@/lib/providers/testing/adapters";
import { startAnthropicServer } from "@/lib/providers/testing/anthropic-server";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { startResponsesServer } from "@/lib/providers/testing/responses-server";
import { type Step, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import type { Providers } from "@/lib/providers/types";

/** How a wire says that a turn was cut off at its limit of tokens. */
export type Asked = WireRequest & { cutOff: string };

export interface Wires {
  /** A model of each adapter, and of each family that wants its history in a form of its own. */
  models: string[];
  providers: Providers;
  /** What the servers refused as the real ones would. */
  refusals(): string[];
  close(): Promise<unknown>;
}

const prompted = "shop/llama";

/** Every adapter, against servers that take what the real ones take; `script` says what the model does. Summaries are written by themselves. */
export async function openWires(
  script: (asked: Asked) => Step[] | Promise<Step[]>,
  contextWindow: number,
): Promise<Wires> {
  const play = (cutOff: string) => async (request: WireRequest) => {
    if (JSON.stringify(request.body).includes("You write the notes with which"))
      return [say("They went on.")];
    const steps = await script({ ...request, cutOff });
    return `shop/${request.model}` === prompted ? adapters["prompted JSON"].write(steps) : steps;
  };
  const [google, anthropic, responses, chat] = await Promise.all([
    startGeminiServer(play("MAX_TOKENS")),
    startAnthropicServer(play("max_tokens")),
    startResponsesServer(play("max_output_tokens")),
    startOpenAiServer(play("length")),
  ]);
  const servers: WireServer[] = [google, anthropic, responses, chat];
  const models = [
    ...["google/gemini-3-pro", "google/gemini-2.5-flash"],
    ...["anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-5"],
    ...["lab/gpt-5.4", "shop/smart", prompted, "ollama/qwen3:8b"],
  ];
  const at = ({ url: baseURL }: WireServer) => ({ apiKey: "k", baseURL });
  const providers = openProviders({
    access: { google: at(google), anthropic: at(anthropic), ollama: { baseURL: chat.url } },
    endpoints: [
      { id: "lab", name: "Lab", source: "settings", api: "responses", ...at(responses) },
      { id: "shop", name: "Shop", source: "settings", api: "chat", ...at(chat) },
    ],
    traits: Object.fromEntries(
      models.map((model) => [
        model,
        { contextWindow, ...(model === prompted && { toolCalls: "json" as const }) },
      ]),
    ),
    defaultModel: models[0] ?? "",
  });
  return {
    ...{ models, providers },
    refusals: () => servers.flatMap(({ refusals }) => refusals),
    close: () => Promise.all(servers.map((server) => server.close())),
  };
}
