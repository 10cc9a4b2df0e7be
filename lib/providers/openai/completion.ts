import type { CallDelta } from "./calls";

/** What is read of an event, or of an answer that comes whole; nothing of it has been checked. */
export interface Completion {
  object?: unknown;
  error?: unknown;
  error_type?: unknown;
  choices?: { delta?: Delta | null; message?: Delta | null; finish_reason?: unknown }[];
  usage?: Usage | null;
}

export interface Delta {
  content?: string | ContentPart[] | null;
  /** DeepSeek, vLLM, llama.cpp; those that serve gpt-oss call it `reasoning`. */
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: CallDelta[] | null;
}

export interface ContentPart {
  type?: unknown;
  text?: unknown;
  thinking?: { text?: unknown }[];
}

export interface Usage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
}

/** Throws an `Error` with what it got when that is no object. */
export function parseCompletion(text: string): Completion {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What is no JSON mostly says what is wrong.
    throw new Error(text.slice(0, 500));
  }
  if (Array.isArray(value)) [value] = value; // Gemini, on its OpenAI-compatible side
  if (typeof value !== "object" || value === null) throw new Error(text.slice(0, 500));
  return value;
}

export const reasons: Record<string, "stop" | "length" | "content-filter" | "tool-calls"> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
};

export function tokens({ prompt_tokens, completion_tokens, prompt_tokens_details }: Usage) {
  const cachedInputTokens = count(prompt_tokens_details?.cached_tokens);
  return {
    inputTokens: count(prompt_tokens),
    outputTokens: count(completion_tokens),
    ...(cachedInputTokens && { cachedInputTokens }),
  };
}

const count = (value: unknown): number => (typeof value === "number" ? value : 0);
