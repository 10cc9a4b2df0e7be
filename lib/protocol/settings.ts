import type { Retention } from "./data";
import type { Effort } from "./effort";
import type { Page } from "./http";
import type { RunLimits, RunLimitsInForce } from "./run-limits";

/** Shapes of the JSON about what a person sets: models, providers, prices, rules of tools. */

export interface ModelItem {
  /** `provider/name`, what `model` of a chat request takes. */
  id: string;
  provider: string;
  /** Of a named endpoint, what people call it. */
  endpoint?: string;
  name: string;
  capabilities: { tools: boolean; images: boolean; reasoning: boolean };
  /** Tokens that it can read; null where nobody says. */
  contextWindow: number | null;
  /** null where nobody says, which is not the same as free. */
  price: Price | null;
  /** What can be chosen, the least first; none where it takes none, null where nobody says. */
  efforts: readonly Effort[] | null;
  reachable: boolean;
  /** Why it cannot be used, with the next step. */
  reason?: string;
  /** What a person has said of it. */
  traits?: ModelTraits;
}

/** How a model is asked, where a provider has a knob for it. */
export interface ModelKnobs {
  effort?: Effort;
  temperature?: number;
  /** Of one turn, thoughts included. */
  maxOutputTokens?: number;
  /** Said by programs alone, 0 to 1: among how likely tokens the model chooses. */
  topP?: number;
  /** Likewise: the same one gives the same answer, as far as the provider can. */
  seed?: number;
}

/** The knobs alone, of what says more than that. */
export const knobsOf = ({ effort, temperature, maxOutputTokens, topP, seed }: ModelKnobs): ModelKnobs => ({
  ...(effort !== undefined && { effort }),
  ...(temperature !== undefined && { temperature }),
  ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  ...(topP !== undefined && { topP }),
  ...(seed !== undefined && { seed }),
});

/** What a person says of a model, in place of what is found out or told by its name. */
export interface ModelTraits extends ModelKnobs {
  /** Tokens that it can read. */
  contextWindow?: number;
  /** `own`: it calls tools by itself. `json`: it is asked to write its calls as JSON. */
  toolCalls?: "own" | "json";
  /** Whether it can see images. */
  images?: boolean;
}

/** `GET /api/models`; `defaultModel` is the one used when a chat request names none. */
export interface ModelList extends Page<ModelItem> {
  defaultModel: string;
}

export interface ToolRule {
  pattern: string;
  /** `plan`: asks, and the model of a run may propose a plan for its calls. */
  effect: "allow" | "ask" | "plan" | "deny";
  /** It holds only for tools whose annotations say so; for all that the pattern names unless it is set. */
  when?: RuleCondition;
  /** A server: the rule is about what this one has returned, in the arguments of these tools; all others are about calls. */
  from?: string;
}

/** `destructive`: may delete or overwrite. `openWorld`: reaches things outside of its server's own domain. */
export type RuleCondition = "destructive" | "openWorld";

/** How a provider of models is reached; keys are never shown. */
export interface ProviderItem {
  id: string;
  /** As people call it. */
  name: string;
  /** The same where a key is all that is entered. */
  shortName: string;
  /** What it is, or where to get a key. */
  help: string;
  addressHint: string;
  takesKey: boolean;
  /** Looked for on this machine where nothing was set. */
  isLocal: boolean;
  /** Where its key or address was set; null when it has neither. */
  source: "settings" | "environment" | null;
  /** The last four characters of the key in force; null without a key. */
  keyEnd: string | null;
  /** null: the provider's own. */
  baseURL: string | null;
}

/** Which of OpenAI's two APIs an endpoint is spoken to with; `auto` leaves it to the application. */
export type EndpointApi = "auto" | "responses" | "chat";

/** An OpenAI-compatible server with a name of its own. Its key and the values of its headers are never shown. */
export interface EndpointItem {
  /** The part before the slash in the ids of its models. */
  id: string;
  /** As people call it. */
  name: string;
  baseURL: string;
  api: EndpointApi;
  /** What `MEGURI_ENDPOINTS` names is read-only. */
  source: "settings" | "environment";
  keyEnd: string | null;
  headerNames: string[];
  /** Named by hand; absent where the server is asked for its models. */
  models?: string[];
}

/** What `PATCH /api/settings` takes for each endpoint. */
export interface EndpointChange {
  id: string;
  name: string;
  baseURL: string;
  api?: EndpointApi;
  /** Absent: the stored ones stay, as long as the address does. */
  headers?: Record<string, string>;
  /** The same; null removes it. */
  apiKey?: string | null;
  models?: string[];
}

/** `POST /api/providers/:id/test`. */
export interface ProviderTest {
  ok: boolean;
  /** What it offers, when it answered. */
  models?: number;
  /** False: it answers, but gives no list; `models` counts those that were named by hand. */
  listed?: boolean;
  /** What is wrong and what to do, when it did not. */
  message?: string;
  /** The field that the message is about. */
  field?: "apiKey" | "baseURL";
}

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  /** Of tokens that the provider had cached; as `input` where it is not named. */
  cachedInput?: number;
  output: number;
}

export interface PriceItem extends Price {
  /** `provider/name`; a `*` at the end matches anything. */
  model: string;
  source: "yours" | "shipped";
}

/** Settings of a person that are stored as they are sent, under their names. */
export interface StoredSettings {
  rules: ToolRule[];
  defaultModel: string | null;
  limits: RunLimits;
  retention: Retention;
  /** Of the person, for every conversation. */
  instructions: string;
  /** Where titles of conversations come from: a model after the first answer, or the first words of the question. */
  titles: "model" | "words";
  /** Whether what goes over the wire to models is recorded, for runs that do not say so themselves. */
  recordWire: boolean;
  /** How the person is called behind links that say so; empty: nobody has said. */
  displayName: string;
  /** Names of agents that are tools of programs that may ask Meguri; those that are not there are tools as soon as they are. */
  agentTools: string[];
}

/** `GET /api/settings`; `PATCH` takes each field but `toolApproval`, `storedIn`, `limitsInForce` and `pricesDate`; of `prices` those that are yours. */
export interface SettingsItem extends StoredSettings {
  toolApproval: "ask" | "allow";
  /** Where everything is kept: DATA_DIR of the machine, or a PostgreSQL database. */
  storedIn: "folder" | "database";
  providers: ProviderItem[];
  /** In the order of the menu; those of the environment first. */
  endpoints: EndpointItem[];
  /** What holds with these limits, whether set or not. */
  limitsInForce: { chat: RunLimitsInForce; agent: RunLimitsInForce };
  prices: PriceItem[];
  /** When the shipped ones were written down, `YYYY-MM-DD`. */
  pricesDate: string;
}
