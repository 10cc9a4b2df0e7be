import type { Provider } from "@/lib/agent/ports";
import { openProviders } from "@/lib/providers/providers";
import type { ProviderConfig } from "@/lib/providers/types";
import { startAnthropicServer } from "./anthropic-server";
import { startGeminiServer } from "./gemini-server";
import { startOpenAiServer } from "./openai-server";
import { startResponsesServer } from "./responses-server";
import { type Step, say } from "./steps";
import type { WireOptions } from "./wire-request";
import type { Script, WireServer } from "./wire-server";

/** An adapter with the server that speaks its wire, for tests that say the same of all. */
export interface Adapter {
  /** Without the provider. */
  model: string;
  /** What a refused key is called; without a key of its own the server is what asks for one. */
  refusal: RegExp;
  keyless?: true;
  start(script: Script, options?: WireOptions): Promise<WireServer>;
  config(baseURL: string): ProviderConfig;
  /** How the model says these steps. */
  write(steps: Step[]): Step[];
  /** Whether its wire sends a call's arguments as they are written. */
  tellsArguments: boolean;
  /** Where its wire has the schema of an answer, when the model has no tools. */
  schema: RegExp;
  /** What the model may write as arguments that are no object, and how that is kept. */
  malformed: [written: string, kept: string][];
}

export const secretKey = "sk-very-secret-key";

const asText: Adapter["malformed"] = ['{"path": "a', '"text"', "[1]", "null"].map((text) => [text, text]);
const asIs = (steps: Step[]) => steps;
const responseFormat = /"response_format":\{"type":"json_schema"/;
const named = /did not accept the key .*_API_KEY/;

export const adapters = {
  google: {
    model: "gemini-2.5-flash",
    refusal: named,
    start: startGeminiServer,
    config: (baseURL) => ({ access: { google: { apiKey: secretKey, baseURL } } }),
    tellsArguments: false,
    write: asIs,
    schema: /"responseJsonSchema"|"responseSchema"/,
    // Its wire has arguments as a value, so that they cannot be broken JSON.
    malformed: [["text", "text"]],
  },
  openai: {
    model: "org/model",
    refusal: named,
    start: startOpenAiServer,
    config: (baseURL) => ({ access: { openai: { apiKey: secretKey, baseURL } } }),
    tellsArguments: true,
    write: asIs,
    schema: responseFormat,
    malformed: asText,
  },
  responses: {
    model: "org/model",
    refusal: named,
    start: startResponsesServer,
    config: (baseURL) => ({ access: { openai: { apiKey: secretKey, baseURL, api: "responses" } } }),
    tellsArguments: true,
    write: asIs,
    schema: /"text":\{"format":\{"type":"json_schema"/,
    malformed: asText,
  },
  ollama: {
    model: "qwen3:8b",
    refusal: /asks for a key/,
    keyless: true,
    start: startOpenAiServer,
    config: (baseURL) => ({ access: { ollama: { baseURL } } }),
    tellsArguments: true,
    write: asIs,
    schema: responseFormat,
    malformed: asText,
  },
  anthropic: {
    model: "claude-sonnet-5",
    refusal: named,
    start: startAnthropicServer,
    config: (baseURL) => ({ access: { anthropic: { apiKey: secretKey, baseURL } } }),
    tellsArguments: true,
    write: asIs,
    schema: /"output_config"|"output_format"|"tools"/,
    malformed: asText,
  },
  "prompted JSON": {
    model: "llama",
    refusal: named,
    start: startOpenAiServer,
    config: (baseURL) => ({
      access: { openai: { apiKey: secretKey, baseURL } },
      traits: { "openai/llama": { toolCalls: "json" } },
    }),
    tellsArguments: false,
    write: asPromptedJson,
    schema: responseFormat,
    malformed: [
      ['"text"', "text"],
      ["[1]", "[1]"],
    ],
  },
} satisfies Record<string, Adapter>;

export type AdapterName = keyof typeof adapters;

export const adapterNames = Object.keys(adapters) as AdapterName[];

/** The adapter, against a server that does these steps turn by turn. */
export async function openAdapter(
  name: AdapterName,
  script: Step[][],
  options?: WireOptions,
): Promise<{ server: WireServer; provider: Provider }> {
  const adapter: Adapter = adapters[name];
  const server = await adapter.start(script.map(adapter.write), options);
  const source = sourceOf(name);
  const providers = openProviders(adapter.config(server.url));
  return { server, provider: providers.provider(`${source}/${adapter.model}`) };
}

/** The provider that an adapter belongs to. */
export const sourceOf = (name: AdapterName): string =>
  name === "prompted JSON" || name === "responses" ? "openai" : name;

const interruptions = new Set<Step["type"]>(["cut", "fade", "hang", "fault", "raw", "fail"]);

/** Writes texts and calls as one JSON object, which stays open where the stream is interrupted. */
function asPromptedJson(steps: Step[]): Step[] {
  let closing = "";
  const out = steps.map((step): Step => {
    if (step.type === "text") {
      const opening = closing ? "" : '{"response": "';
      closing = '"}';
      return { ...step, content: opening + JSON.stringify(step.content).slice(1, -1) };
    }
    if (step.type !== "calls") return step;
    const calls = step.calls.map(
      ({ name, args = {}, written }) =>
        `{"name": ${JSON.stringify(name)}, "input": ${written === "" ? "{}" : (written ?? JSON.stringify(args))}}`,
    );
    const opening = closing ? '", ' : "{";
    closing = "}";
    return say(`${opening}"tool_call": [${calls.join(", ")}]`);
  });
  const isWhole = !steps.some((step) => interruptions.has(step.type));
  return isWhole && closing ? [...out, say(closing)] : out;
}
