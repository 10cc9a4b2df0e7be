import { setTimeout as wait } from "node:timers/promises";
import type { Provider, Turn } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCall } from "@/lib/protocol/message";
import { type ModelSource, modelItem } from "@/lib/providers/shared/model-source";
import { newCallId } from "@/lib/providers/tools/call-id";
import { nextStep } from "./intents";

/** `demo/demo`: no AI and no network, so that the whole product can be tried without a key. It says so itself. */
export function demoSource(pieceMs: number): ModelSource {
  return {
    id: "demo",
    wellKnown: "demo",
    pricesOf: "demo",
    list: async () => [modelItem("demo", "demo", { images: false }, "Demo (no AI)")],
    provider: (): Provider => ({ stream: (turn) => streamDemo(turn, pieceMs) }),
  };
}

/** Needs nothing but the turn: what comes next follows from the last request and the results since. */
async function* streamDemo(turn: Turn, pieceMs: number): AsyncGenerator<ModelChunk, void> {
  const step = nextStep(turn);
  if ("say" in step) {
    for (const piece of pieces(step.say)) {
      await pause(pieceMs * (step.slowness ?? 1), turn.signal);
      yield { type: "text", content: piece };
    }
    yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0 };
    return;
  }
  await pause(pieceMs, turn.signal);
  yield { type: "reasoning", content: step.thought };
  for (const call of step.calls) {
    const id = newCallId();
    for (const content of argumentPieces(call)) {
      await pause(pieceMs, turn.signal);
      yield { type: "tool_input", id, name: call.name, content };
    }
    yield { type: "tool_call", call: { type: "tool_call", id, ...call } };
  }
  yield { type: "usage", stopReason: "tool_use", inputTokens: 0, outputTokens: 0 };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

/** A few, so that everybody sees arguments being written. */
function argumentPieces({ args, malformed }: Pick<ToolCall, "args" | "malformed">): string[] {
  const written = [...(malformed ?? JSON.stringify(args))];
  const size = Math.max(12, Math.ceil(written.length / 6));
  const count = Math.ceil(written.length / size);
  return Array.from({ length: count }, (_, at) => written.slice(at * size, (at + 1) * size).join(""));
}

/** Words with the space after them, or three characters where a script has no spaces. */
function pieces(text: string): string[] {
  return text.match(/[\u3000-\u9fff\uff00-\uffef]{1,3}\s*|[^\s\u3000-\u9fff\uff00-\uffef]+\s*|\s+/gu) ?? [];
}
