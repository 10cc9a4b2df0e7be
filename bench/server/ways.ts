import type { App } from "@/e2e/support/app";
import type { Question } from "./read-answer";

/** Asks for an answer of so many tokens. */
export type QuestionFor = (tokens: number) => Question;
export type Way = "direct" | "relay" | "bare route" | "ours";

/** A way to an answer, and the process whose CPU it costs. */
export interface Served {
  question: QuestionFor;
  pid: number;
}

export type Ways = Record<Way, Served>;

const wireBody = (count: number) => ({
  ...{ model: "test-model", stream: true },
  messages: [{ role: "user", content: `${count} tokens` }],
});

/** The model's server, or a relay that takes the same requests. */
export const directTo =
  (url: string): QuestionFor =>
  (count) => ({ tokens: count, url: `${url}/chat/completions`, body: wireBody(count) });

/** The route of a Next application that does nothing else. */
export const throughBare =
  (url: string): QuestionFor =>
  (count) => ({ tokens: count, url: `${url}/answer`, body: wireBody(count) });

export const through =
  ({ baseUrl, token }: App): QuestionFor =>
  (count) => ({
    tokens: count,
    url: `${baseUrl}/api/chat`,
    token,
    body: { model: "openai/test-model", message: { text: `${count} tokens` } },
  });
