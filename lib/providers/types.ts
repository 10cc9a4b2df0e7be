import type { Provider } from "@/lib/agent/ports";
import { hasName } from "@/lib/protocol/has-name";
import type { ModelItem, ModelTraits } from "@/lib/protocol/http";

/** Keys and addresses, already read from the environment. An absent key leaves its provider out. */
export interface ProviderConfig {
  google?: { apiKey: string; baseURL?: string };
  openai?: { apiKey?: string; baseURL?: string };
  anthropic?: { apiKey: string; baseURL?: string };
  /** Without `baseURL` it is looked for on 127.0.0.1:11434 and left out when nothing answers. */
  ollama: { baseURL?: string };
  /** `provider/name`. */
  defaultModel?: string;
  /** By `provider/name`, what is set; everything else is found out. */
  traits?: Readonly<Record<string, ModelTraits>>;
}

export interface Providers {
  /** What can be chosen now; asks each provider for its models at most every 60 s (10 s after a failure), in parallel, for at most 3 s. */
  models(): Promise<ModelItem[]>;
  /** The configured default, else the first reachable model of a configured provider, else `demo/demo`. */
  defaultModel(): Promise<string>;
  /**
   * Asks a provider for its models with this key and address, whether it is configured or not; how many there are.
   * Throws an `Error` whose message says what is wrong.
   */
  test(id: string, access: { apiKey?: string; baseURL?: string }, signal: AbortSignal): Promise<number>;
  /** Tokens that a model can read, where its provider has said it or its name tells; does no I/O. */
  window(modelId: string): number | undefined;
  /** Throws `UnknownModelError` for a name of no configured provider. Does no I/O. */
  provider(modelId: string): Provider;
}

export class UnknownModelError extends Error {
  static [Symbol.hasInstance] = hasName("UnknownModelError");
  override name = "UnknownModelError";
}
