import type { App } from "@/e2e/support/app";
import type { Question } from "./read-answer";

/** Asks for an answer of so many tokens. */
export type QuestionFor = (tokens: number) => Question;
export type QuestionsFor = Record<"direct" | "ours", QuestionFor>;

export const directTo =
  (url: string): QuestionFor =>
  (count) => ({
    tokens: count,
    url: `${url}/chat/completions`,
    body: { model: "test-model", stream: true, messages: [{ role: "user", content: `${count} tokens` }] },
  });

export const through =
  ({ baseUrl, token }: App): QuestionFor =>
  (count) => ({
    tokens: count,
    url: `${baseUrl}/api/chat`,
    token,
    body: { model: "openai/test-model", message: { text: `${count} tokens` } },
  });
