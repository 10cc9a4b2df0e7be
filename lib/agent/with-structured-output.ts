import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ChatMessage, ToolCall } from "@/lib/protocol/message";
import { findArgumentProblems } from "./argument-problems";
import { singly } from "./chunks-in";
import { type ModelChunks, type Provider, ProviderError, type ToolSpec, type Turn } from "./ports";

/** Name of the tool by which a model that has other tools gives its answer; it never runs. */
export const answerToolName = "meguri__answer";

/**
 * Holds the final answer to a JSON Schema (an object at its root). A model without tools answers in the provider's own
 * structured form, one with tools through a final tool. What does not fit is asked for once more with the problems.
 * The answer goes into the history as text, as one piece with `format: "json"`.
 */
export function withStructuredOutput(provider: Provider, schema: Record<string, unknown>): Provider {
  const answerTool: ToolSpec = {
    name: answerToolName,
    description: "Gives the final answer. Call it once, when you know all that the answer needs.",
    inputSchema: schema,
  };
  return {
    async *stream(turn) {
      const asked = withSchema(turn, answerTool, schema);
      const first = yield* attempt(provider.stream(asked), schema);
      if (!("problems" in first)) return;
      yield { type: "usage", ...first.usage };
      yield {
        type: "notice",
        kind: "repair",
        message: `The answer does not match its schema and is requested again: ${first.problems[0]}`,
      };
      const again = { ...asked, history: [...turn.history, ...complaint(first)] };
      const forced = asked.tools.includes(answerTool) ? { toolChoice: { name: answerToolName } } : {};
      const second = yield* attempt(provider.stream({ ...again, ...forced }), schema);
      if (!("problems" in second)) return;
      yield { type: "usage", ...second.usage };
      throw new ProviderError(
        "bad_response",
        `The model's answer does not match the requested schema: ${second.problems.join("; ")}`,
      );
    },
  };
}

function withSchema(turn: Turn, answerTool: ToolSpec, responseSchema: Record<string, unknown>): Turn {
  // Most providers refuse a schema beside tools; told to call none, the model has only its own words left.
  if (turn.tools.length === 0 || turn.toolChoice === "none") return { ...turn, responseSchema };
  return {
    ...turn,
    tools: [...turn.tools, answerTool],
    system: `${turn.system}\nGive your final answer by calling ${answerToolName}, not as text.`,
  };
}

/** An answer that does not fit, which nobody has seen. */
interface Misfit {
  problems: string[];
  written: string;
  usage: Omit<Extract<ModelChunk, { type: "usage" }>, "type" | "stopReason">;
}

type Ended = { done: true } | Misfit;

/** Passes a turn on, except its words and what it writes as its answer: they are shown when they are the answer, or come before calls of tools. */
async function* attempt(
  turn: AsyncIterable<ModelChunks>,
  schema: Record<string, unknown>,
): AsyncGenerator<ModelChunk, Ended> {
  let words = "";
  let answer: ToolCall | undefined;
  const calls: ModelChunk[] = [];
  for await (const chunk of singly(turn)) {
    if (chunk.type === "text") words += chunk.content;
    else if (chunk.type === "tool_input") {
      if (chunk.name !== answerToolName) yield chunk;
    } else if (chunk.type === "tool_call") {
      if (chunk.call.name === answerToolName) answer ??= chunk.call;
      else calls.push(chunk);
    } else if (chunk.type !== "usage" || !chunk.stopReason) yield chunk;
    else if (calls.length > 0 || chunk.stopReason === "max_tokens") {
      // It wants to know more before it answers; an answer beside that was too early.
      if (words) yield { type: "text", content: words };
      yield* calls;
      yield chunk;
      return { done: true };
    } else {
      const read = readAnswer(answer, words);
      const problems = "value" in read ? findProblems(schema, read.value) : [read.problem];
      const { type: _, stopReason: __, ...usage } = chunk;
      if (problems.length > 0 || !("value" in read))
        return {
          problems,
          written: answer?.malformed ?? (answer ? JSON.stringify(answer.args) : words),
          usage,
        };
      yield { type: "text", content: JSON.stringify(read.value), format: "json" };
      yield { ...chunk, stopReason: "end_turn" };
      return { done: true };
    }
  }
  return { done: true }; // It broke off: the loop says so.
}

function readAnswer(answer: ToolCall | undefined, words: string): { value: unknown } | { problem: string } {
  if (answer && answer.malformed === undefined) return { value: answer.args };
  const json = (answer?.malformed ?? words).trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1");
  try {
    return { value: JSON.parse(json) };
  } catch (cause) {
    return { problem: `it is not JSON (${(cause as Error).message})` };
  }
}

function findProblems(schema: Record<string, unknown>, value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ["it is no JSON object"];
  return findArgumentProblems(schema, value as Record<string, unknown>);
}

function complaint({ problems, written }: Misfit): ChatMessage[] {
  const lines = problems.map((problem) => `- ${problem}`).join("\n");
  const text = `Your answer does not fit the schema that was asked for:\n${lines}\nAnswer again, whole, so that it fits.`;
  return [
    { role: "assistant", parts: [{ type: "text", text: written.slice(0, maxWritten) || "…" }] },
    { role: "user", parts: [{ type: "text", text }] },
  ];
}

const maxWritten = 50_000;
