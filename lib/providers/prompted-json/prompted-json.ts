import { APICallError } from "@ai-sdk/provider";
import { singly } from "@/lib/agent/chunks-in";
import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import { type ModelChunks, type Provider, ProviderError, type Turn } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { newCallId } from "@/lib/providers/tools/call-id";
import { readArguments } from "@/lib/providers/tools/parse-arguments";
import { type PromptedCall, readAnswer } from "./answer";
import { PlainHistory } from "./plain-history";
import { answerSchema, askAgain, promptFor } from "./prompt";
import { ResponseScanner } from "./scanner";

export interface PromptedOptions {
  /** How people call the model. */
  name: string;
  sees: () => boolean;
  /** Whether the server may hold the model to a JSON Schema; set to false when it refuses one. */
  schema: { allowed: boolean };
}

/**
 * Tools for a model without function calling: it is told of them in the system prompt and answers in JSON. The text
 * of an answer streams while its JSON is still open; what can be repaired is repaired, with a notice, and a hopeless
 * answer is asked for once more.
 */
export function withPromptedJson(provider: Provider, options: PromptedOptions): Provider {
  const plain = new PlainHistory(options.sees);
  return {
    async *stream({ toolChoice, ...turn }) {
      const speaksJson = turn.tools.length > 0 && toolChoice !== "none";
      const history = plain.write(turn.history, speaksJson);
      if (!speaksJson) return yield* provider.stream({ ...turn, tools: [], history });
      const asked: Turn = {
        ...turn,
        history,
        tools: [],
        system: promptFor({ ...turn, ...(toolChoice && { toolChoice }) }),
        responseSchema: answerSchema(turn),
      };
      const names = turn.tools.map(({ name }) => name);
      const first = yield* attempt(provider, asked, names, options);
      if (!first) return;
      yield {
        type: "notice",
        kind: "repair",
        message: `${options.name} gave an answer that cannot be read and is asked once more: ${first.problem}`,
      };
      const last = yield* attempt(provider, again(asked, first), names, options);
      if (last) yield* giveUp(last, options);
    },
  };
}

/** An answer that showed nothing yet and cannot be read. */
interface Hopeless {
  problem: string;
  written: string;
}

const maxWritten = 1_000_000;

async function* attempt(
  provider: Provider,
  asked: Turn,
  names: readonly string[],
  options: PromptedOptions,
): AsyncGenerator<ModelChunk, Hopeless | undefined> {
  const scanner = new ResponseScanner();
  let written = "";
  for await (const chunk of singly(streamWithSchema(provider, asked, options.schema))) {
    if (chunk.type === "text") {
      written += chunk.content;
      if (written.length > maxWritten)
        throw new ProviderError("bad_response", `${options.name} wrote an answer without end. Try again.`);
      const content = scanner.add(chunk.content);
      if (content) yield { type: "text", content };
    } else if (chunk.type === "usage" && chunk.stopReason) {
      const content = scanner.end();
      if (content) yield { type: "text", content };
      return yield* conclude({ written, shown: scanner.shown, usage: chunk, names, name: options.name });
    } else yield chunk;
  }
  return undefined;
}

interface Written {
  written: string;
  /** The text that has been streamed. */
  shown: string;
  usage: Extract<ModelChunk, { type: "usage" }>;
  names: readonly string[];
  name: string;
}

function* conclude(end: Written): Generator<ModelChunk, Hopeless | undefined> {
  const { written, shown, usage, names, name } = end;
  if (usage.stopReason === "max_tokens") {
    if (!shown && isProse(written)) yield { type: "text", content: written };
    yield usage;
    return undefined;
  }
  const read = written.trim() ? readAnswer(written, names) : { text: "", calls: [], repairs: [] };
  if ("problem" in read) {
    if (!shown) {
      const { stopReason: _, ...cost } = usage;
      yield cost;
      return { problem: read.problem, written };
    }
    // Its text has been shown: anything after it is left out, with a notice.
    yield {
      type: "notice",
      kind: "repair",
      message: `What ${name} wrote after its text could not be read and was left out. ${read.problem}`,
    };
    yield { ...usage, stopReason: "end_turn" };
    return undefined;
  }
  if (read.repairs.length > 0)
    yield repair(`The answer of ${name} was repaired: ${read.repairs.join(", ")}.`);
  const content = read.text.startsWith(shown) ? read.text.slice(shown.length) : "";
  if (content) yield { type: "text", content };
  for (const call of read.calls) yield { type: "tool_call", call: toToolCall(call) };
  yield { ...usage, stopReason: read.calls.length > 0 ? "tool_use" : "end_turn" };
  return undefined;
}

/** Twice the same: plain words are an answer after all, anything else is none. */
function* giveUp({ problem, written }: Hopeless, { name }: PromptedOptions): Generator<ModelChunk> {
  if (!isProse(written))
    throw new ProviderError(
      "bad_response",
      `${name} did not answer in the form it was asked for. ${problem} Try again, or pick another model.`,
    );
  yield repair(`${name} answered in plain text, which is taken as its answer.`);
  yield { type: "text", content: written };
  yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0 };
}

const isProse = (written: string) => written.trim() !== "" && !/[{[]/.test(written);

const again = (asked: Turn, { written, problem }: Hopeless): Turn => ({
  ...asked,
  history: [
    ...asked.history,
    { role: "assistant", parts: [{ type: "text", text: written.slice(0, maxQuoted) }] },
    { role: "user", parts: [{ type: "text", text: askAgain(problem) }] },
  ],
});

const maxQuoted = 8_000;

/** With the schema where the server takes one; a server that refuses the request gets it without, and is remembered. */
function streamWithSchema(
  provider: Provider,
  asked: Turn,
  schema: PromptedOptions["schema"],
): AsyncIterable<ModelChunks> {
  const { responseSchema: _, ...free } = asked;
  if (!schema.allowed) return provider.stream(free);
  return passThroughAfterFirst(async function* () {
    try {
      return yield* untilFirstChunk(provider.stream(asked));
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    const begun = yield* untilFirstChunk(provider.stream(free));
    schema.allowed = false;
    return begun;
  });
}

const isRefused = (error: unknown): boolean =>
  error instanceof ProviderError &&
  error.code === "bad_response" &&
  APICallError.isInstance(error.cause) &&
  (error.cause.statusCode === 400 || error.cause.statusCode === 422);

function toToolCall({ name, input }: PromptedCall): Extract<ModelChunk, { type: "tool_call" }>["call"] {
  const written = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "tool_call", id: newCallId(), name, ...readArguments(written) };
}

const repair = (message: string): ModelChunk => ({ type: "notice", kind: "repair", message });
