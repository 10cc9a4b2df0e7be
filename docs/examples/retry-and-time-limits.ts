import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { type Provider, ProviderError } from "@/lib/agent/ports";
import { withRetry } from "@/lib/agent/with-retry";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { question, says, scripted } from "./support";

let asked = 0;
const busyAtFirst: Provider = {
  async *stream(turn) {
    if (asked++ === 0) throw new ProviderError("rate_limited", "Busy.", { retryAfterMs: 20 });
    yield* scripted(says("Here I am.")).stream(turn);
  },
};

const { finalText, chunks } = await executeWithTools({
  provider: withRetry(withTurnTimeouts(busyAtFirst, 30_000, 10_000)),
  system: "",
  history: question("Are you there?"),
  signal: AbortSignal.timeout(60_000),
  timeoutMs: 50_000,
});

export const output = [chunks.some(({ type }) => type === "notice"), finalText]; // [true, "Here I am."]
