import type { App } from "@/e2e/support/app";
import type { Question } from "./read-answer";

/** Asks for an answer of so many tokens. */
export type Way = (tokens: number) => Question;
export type Ways = Record<"direct" | "ours", Way>;

export const directTo =
  (url: string): Way =>
  (count) => ({
    url: `${url}/chat/completions`,
    body: { model: "test-model", stream: true, messages: [{ role: "user", content: `${count} tokens` }] },
  });

export const through =
  ({ baseUrl, token }: App): Way =>
  (count) => ({
    url: `${baseUrl}/api/chat`,
    token,
    body: { model: "openai/test-model", message: { text: `${count} tokens` } },
  });
