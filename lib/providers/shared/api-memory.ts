import type { EndpointApi } from "@/lib/protocol/settings";

/** Which of OpenAI's two APIs a model is asked through. */
export type ModelApi = Exclude<EndpointApi, "auto">;

/** What the answers of a model's server have shown. */
export interface LearnedApi {
  /** The API that answered after the other one had refused. */
  api?: ModelApi;
  /** Whether the model reasons, where its name does not tell. */
  reasons?: boolean;
  /** False: it refuses to summarize its reasoning. */
  summary?: boolean;
}

/** What was learned, by endpoint and model. */
export interface ApiMemory {
  get(key: string): LearnedApi;
  /** Adds to what is known of a model. */
  learn(key: string, learned: LearnedApi): void;
}

const maxKept = 300;

/** Begins with what was kept earlier; `onChange` gets everything after each change. The model learned of longest ago gives way. */
export function openApiMemory(
  kept: Readonly<Record<string, LearnedApi>> = {},
  onChange: (all: Record<string, LearnedApi>) => void = () => {},
): ApiMemory {
  const known = new Map(Object.entries(kept).slice(-maxKept));
  return {
    get: (key) => known.get(key) ?? {},
    learn(key, learned) {
      const before = known.get(key) ?? {};
      const after = { ...before, ...learned };
      if (after.api === before.api && after.reasons === before.reasons && after.summary === before.summary)
        return;
      known.delete(key);
      known.set(key, after);
      for (const oldest of known.keys()) {
        if (known.size <= maxKept) break;
        known.delete(oldest);
      }
      onChange(Object.fromEntries(known));
    },
  };
}
