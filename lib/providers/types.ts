import type { Provider } from "@/lib/agent/ports";
import { hasName } from "@/lib/protocol/has-name";
import type { ModelItem, ModelTraits, Price } from "@/lib/protocol/settings";
import type { EndpointConfig, ProviderAccess } from "./shared/definition";

/** By id; a provider that lacks what it needs is left out of the menu. */
export type AccessByProvider = Readonly<Partial<Record<string, ProviderAccess>>>;

export interface ProviderConfig {
  /** Keys and addresses, from the settings or the environment. */
  access?: AccessByProvider;
  /** Beside the providers of the table; ids are there once. */
  endpoints?: readonly EndpointConfig[];
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
  test(id: string, access: ProviderAccess, signal: AbortSignal): Promise<number>;
  /** The same for an endpoint, whether it is configured or not; `listed` is false where it answers, but its models are named by hand alone. */
  testEndpoint(endpoint: EndpointConfig, signal: AbortSignal): Promise<{ models: number; listed: boolean }>;
  /** Tokens that a model can read, where a person or its provider has said it or its name tells; does no I/O. */
  window(modelId: string): number | undefined;
  /** What a model costs, where its provider has said it or it is well known; does no I/O. */
  price(modelId: string): Price | undefined;
  /** Throws `UnknownModelError` for a name of no configured provider. Does no I/O. */
  provider(modelId: string): Provider;
}

export class UnknownModelError extends Error {
  static [Symbol.hasInstance] = hasName("UnknownModelError");
  override name = "UnknownModelError";
}
