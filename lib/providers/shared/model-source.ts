import type { Provider } from "@/lib/agent/ports";
import type { ModelItem } from "@/lib/protocol/settings";

/** One provider: what it offers and how to speak to it. */
export interface ModelSource {
  id: string;
  /** Of a named endpoint, what people call it. */
  name?: string;
  /** Names of its models, best choice first. Throws an `Error` whose message says what to do. */
  list(signal: AbortSignal): Promise<ModelItem[]>;
  /** Shown in the menu when the list cannot be read. */
  wellKnown: string;
  /** Left out of the menu when it cannot be reached: nobody has configured it. */
  optional?: true;
  /** By name without the provider; `sees` says before each turn whether the model can see images. Does no I/O. */
  provider(name: string, sees: () => boolean): Provider;
  /** Whether the server says that this model can call tools; undefined when it does not say. Never rejects. */
  callsTools?(name: string, signal: AbortSignal): Promise<boolean | undefined>;
}

/** An item of the model menu, with what is assumed of a model that says nothing about itself. */
export function modelItem(
  provider: string,
  name: string,
  capabilities: Partial<ModelItem["capabilities"]> = {},
  label = name,
): ModelItem {
  return {
    id: `${provider}/${name}`,
    provider,
    name: label,
    capabilities: {
      tools: true,
      images: seesImages(name),
      reasoning: false,
      ...capabilities,
      contextWindow: capabilities.contextWindow ?? windowByName(name) ?? null,
    },
    reachable: true,
  };
}

/** By name, since OpenAI-compatible servers do not say it. */
export function seesImages(name: string): boolean {
  return /vision|[-_.:/]vl\b|qwen[\d.]*-?vl|llava|pixtral|minicpm-v|moondream|gemma-?[34]|gpt-(4o|4\.1|[5-9])|\bo[34]\b|llama-?4|mistral-(small|medium)|gemini|claude|internvl|omni/i.test(
    name,
  );
}

/** Moves the names that match the first pattern to the front, then those of the second, and so on. */
export function preferring(items: ModelItem[], patterns: readonly RegExp[]): ModelItem[] {
  const rank = ({ id }: ModelItem) => {
    const at = patterns.findIndex((pattern) => pattern.test(id));
    return at < 0 ? patterns.length : at;
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}

/** Of families whose providers do not tell; longest names first. */
const windows: readonly (readonly [pattern: RegExp, tokens: number])[] = [
  [/gemini-(1\.5|2|3)/, 1_048_576],
  [/claude-/, 200_000],
  [/gpt-4\.1/, 1_047_576],
  [/gpt-5/, 400_000],
  [/gpt-4o/, 128_000],
  [/^o[134](-|$)/, 200_000],
];

/** Tokens that a well-known model can read. */
export const windowByName = (name: string): number | undefined =>
  windows.find(([pattern]) => pattern.test(name))?.[1];
