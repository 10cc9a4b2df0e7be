import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { type Provider, ProviderError } from "@/lib/agent/ports";
import { question } from "./support";

/** Anything that streams text, reasoning and calls, and ends with one `usage` that has a stop reason. */
const parrot: Provider = {
  async *stream({ history, signal }) {
    const last = history.at(-1);
    if (last?.role !== "user") throw new ProviderError("bad_response", "A parrot answers people only.");
    for (const part of last.parts) {
      signal.throwIfAborted();
      if (part.type === "text") yield { type: "text", content: part.text };
    }
    yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0 };
  },
};

const { finalText } = await executeWithTools({
  provider: parrot,
  system: "",
  history: question("Say it again"),
  signal: AbortSignal.timeout(60_000),
});

export const output = finalText; // "Say it again"
