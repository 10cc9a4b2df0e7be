import type { EndpointApi } from "@/lib/protocol/settings";

/** Which of OpenAI's two APIs a model is asked through. */
export type ModelApi = Exclude<EndpointApi, "auto">;

/** What the answers of a model's server have shown. */
export interface LearnedModel {
  /** The API that answered after the other one had refused. */
  api?: ModelApi;
  /** Whether the model reasons, where its name does not tell. */
  reasons?: boolean;
  /** False: it refuses to summarize its reasoning. */
  summary?: boolean;
  /** What it refuses to be asked with, as `effort:high`, and when it did (ms). */
  refused?: Readonly<Record<string, number>>;
}

/** Another server may have a model of the same name: the address is a part of what it is remembered by. */
export const memoryKey = (address: string, model: string): string => `${address} ${model}`;

/** What was learned, by `memoryKey`. */
export interface ModelMemory {
  get(key: string): LearnedModel;
  /** Adds to what is known of a model. */
  learn(key: string, learned: LearnedModel): void;
}

const maxKept = 300;

/** Begins with what was kept earlier; `onChange` gets everything after each change. The model learned of longest ago gives way. */
export function openModelMemory(
  kept: Readonly<Record<string, LearnedModel>> = {},
  onChange: (all: Record<string, LearnedModel>) => void = () => {},
): ModelMemory {
  const known = new Map(Object.entries(kept).slice(-maxKept));
  return {
    get: (key) => known.get(key) ?? {},
    learn(key, learned) {
      const before = known.get(key) ?? {};
      const after = { ...before, ...learned };
      if (JSON.stringify(after) === JSON.stringify(before)) return;
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
