import type { Dispatcher } from "undici";
import type { EndpointApi } from "@/lib/protocol/settings";
import type { ModelMemory } from "./model-memory";
import type { ModelSource } from "./model-source";

/** How to reach a provider; from the settings or the environment. */
export interface ProviderAccess {
  apiKey?: string;
  baseURL?: string;
  /** Of OpenAI's two APIs, for a server that may have either; `auto` unless given. */
  api?: EndpointApi;
}

/** An OpenAI-compatible server with a name of its own, beside those of the table. */
export interface EndpointConfig {
  /** The part before the slash in the ids of its models; none of the table. */
  id: string;
  /** As people call it. */
  name: string;
  baseURL: string;
  api: EndpointApi;
  apiKey?: string;
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
  /** Named by hand; absent where the server is asked. */
  models?: readonly string[];
  /** Where it is named: what a sentence about its address or key calls the place. */
  source: "settings" | "environment";
}

/** What a source sends its requests with. */
export interface ModelNetwork {
  /** For the turns of adapters that read the wire themselves; the runtime's own unless given. */
  dispatcher?: Dispatcher | undefined;
  /** The same for the SDKs and for lists of models. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Replaces the definition's `local`. */
  localAddress?: string | undefined;
  /** What was learned of each model; forgotten with the sources unless given. */
  modelMemory?: ModelMemory | undefined;
}

/** All that the application knows of a provider: a new one is a file that exports this, and its line in `provider-table.ts`. */
export interface ProviderDefinition {
  /** The part before the slash in the ids of its models. */
  id: string;
  /** As the settings call it. */
  name: string;
  /** As it is called where a key is all that is entered; the name unless given. */
  shortName?: string;
  /** In the settings: what it is, or where to get a key. */
  help: string;
  addressHint: string;
  /** Environment variables with its key; the first that is set counts. None: it takes no key. */
  keyVariables: readonly [string, ...string[]] | readonly [];
  /** The same with its address; `bare`: may be a host without `http://`. */
  addressVariables: readonly [AddressVariable, ...AddressVariable[]];
  /** What it cannot be used without; with `key or address` an address is enough, since most self-hosted servers need no key. */
  needs: "key" | "key or address" | "nothing";
  /** Address on this machine at which it is looked for when nobody has configured it. */
  local?: string;
  /** `gen_ai.provider.name` in traces (OpenTelemetry's GenAI conventions); the id unless given. */
  traceName?: string;
  /** The address that requests for this one go to; the same unless given. */
  resolve?(address: string): string;
  /** `access` has what `needs` asks for. Does no I/O. */
  open(access: ProviderAccess, network: ModelNetwork): ModelSource;
}

export interface AddressVariable {
  name: string;
  bare?: true;
}

export const canOpen = ({ needs }: ProviderDefinition, { apiKey, baseURL }: ProviderAccess): boolean => {
  switch (needs) {
    case "key":
      return apiKey !== undefined;
    case "key or address":
      return apiKey !== undefined || baseURL !== undefined;
    case "nothing":
      return true;
  }
};

/** The variable to name in a sentence about the key or the address. */
export const variablesOf = ({
  keyVariables: [keyVariable],
  addressVariables: [{ name: addressVariable }],
}: Pick<ProviderDefinition, "keyVariables" | "addressVariables">) => ({
  addressVariable,
  ...(keyVariable !== undefined && { keyVariable }),
});
