import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Addresses, type Contestant, system } from "./rows";

/** `doStream` of the adapter that ours and `streamText` use, read to its end; one turn, no loop and no tools. */
export async function openBare({ model }: Addresses): Promise<Contestant> {
  const openai = createOpenAICompatible({ name: "openai", baseURL: model, includeUsage: true });
  return {
    async run(question) {
      const { stream } = await openai("test-model").doStream({
        prompt: [
          { role: "system", content: system },
          { role: "user", content: [{ type: "text", text: question }] },
        ],
      });
      const outcome = { text: "", toolResults: 0, pieces: 0 };
      const reader = stream.getReader();
      while (true) {
        const { value: part } = await reader.read();
        if (!part) return outcome;
        if (part.type === "error") throw part.error;
        if (part.type !== "text-delta") continue;
        outcome.text += part.delta;
        outcome.pieces++;
      }
    },
  };
}
