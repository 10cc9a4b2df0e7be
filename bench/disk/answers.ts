import type { App } from "@/e2e/support/app";

export const answerTokens = 1_000;
export const answerCharacters = 5_600;

/** Asks for so many answers, each in a conversation of its own, some at once, and reads each to its end. */
export async function askAnswers(app: App, count: number, atOnce: number): Promise<void> {
  let left = count;
  const askOne = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await app.fetch("/api/chat", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ model: "openai/test-model", message: { text: "Tell me more." } }),
      });
      const text = await response.text();
      if (!text.includes('"status":"completed"'))
        throw new Error(`An answer did not end well: ${text.slice(-500)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOne));
}
