import type { ModelChunk } from "@/lib/protocol/chunk";
import { tokensOf } from "@/lib/protocol/count-tokens";
import { modelContent } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import type { Usage } from "@/lib/protocol/usage";
import { addUsage } from "@/lib/protocol/usage";
import { singly } from "./chunks-in";
import { tokensOfMessage } from "./estimate-tokens";
import type { Provider } from "./ports";

const maxResultCharacters = 600;
const maxSummaryCharacters = 20_000;

const instructions = `You write the notes with which an assistant goes on with a long conversation of which it will only see your notes and the newest messages. Write in the language of the conversation. Keep: what the user wants, in their own words where they are short; what was decided; names, numbers, paths and identifiers exactly; what tools were called and what of their results still matters; what is still to be done. Leave out greetings and repetitions. Write only the notes.`;

/** Notes on the oldest messages, and what they cost. */
export interface Summary {
  text: string;
  /** How many of the newest messages it does not cover. */
  kept: number;
  usage: Usage;
}

export interface SummaryOptions {
  /** What the newest messages may take that it does not cover. */
  keepTokens: number;
  /** What the model may read for it. */
  readTokens: number;
  /** It covers all but so many of the newest ones at least: what is before them was replaced by an earlier one. */
  tail?: number;
  /** By place in the history, what would still be sent beside it: nobody is asked when it could take the place of nothing else. */
  stays?: readonly boolean[];
}

/**
 * Asks the model for notes on everything but the newest messages that fit into `keepTokens`. Undefined when there is
 * nothing older, or when the model said nothing or could not be asked.
 */
export async function summarise(
  provider: Provider,
  { history, signal }: { history: readonly ChatMessage[]; signal: AbortSignal },
  { keepTokens, readTokens, tail = history.length, stays = [] }: SummaryOptions,
): Promise<Summary | undefined> {
  const from = Math.max(firstKept(history, keepTokens), history.length - tail);
  if (history.slice(0, from).every((_, at) => stays[at])) return undefined;
  const text = write(history.slice(0, from), readTokens);
  const turn = {
    system: instructions,
    history: [{ role: "user" as const, parts: [{ type: "text" as const, text }] }],
    tools: [],
    signal,
  };
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let notes = "";
  try {
    for await (const chunk of singly(provider.stream(turn))) notes += take(chunk, usage);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  notes = notes.trim().slice(0, maxSummaryCharacters);
  if (!notes) return undefined;
  return { text: notes, kept: history.length - from, usage };
}

function take(chunk: ModelChunk, usage: Usage): string {
  if (chunk.type === "usage") addUsage(usage, chunk);
  return chunk.type === "text" ? chunk.content : "";
}

/** Where the kept messages begin: at a question or a turn of the model, never between a call and its result. */
function firstKept(history: readonly ChatMessage[], keepTokens: number): number {
  let tokens = 0;
  let first = history.length;
  for (let index = history.length - 1; index >= 0; index--) {
    const message = history[index];
    if (!message) break;
    tokens += tokensOfMessage(message);
    // The newest question or turn stays, whatever its size.
    if (tokens > keepTokens && first < history.length) break;
    if (message.role === "user" || message.role === "assistant") first = index;
  }
  return first;
}

/** The messages as one text: earlier notes, then from the end as much as the model may read. */
function write(messages: readonly ChatMessage[], readTokens: number): string {
  const notes = messages.flatMap((message) => (message.role === "summary" ? [lineOf(message)] : []));
  const lines: string[] = [];
  let tokens = tokensOf(notes.join());
  for (const message of messages.toReversed()) {
    if (message.role === "summary") continue;
    const line = lineOf(message);
    tokens += tokensOf(line);
    if (tokens > readTokens && lines.length > 0) {
      lines.push("[What was between is left out.]");
      break;
    }
    lines.push(line);
  }
  const text = [...notes, ...lines.toReversed()].join("\n\n");
  return `The conversation so far:\n\n${text}\n\nWrite the notes now.`;
}

function lineOf(message: ChatMessage): string {
  switch (message.role) {
    case "user":
      return `User: ${message.parts.map((part) => (part.type === "text" ? part.text : `[file ${part.name ?? part.mediaType}]`)).join("\n")}`;
    case "summary":
      return `Earlier notes: ${message.text}`;
    case "assistant":
      return message.parts
        .flatMap((part) =>
          part.type === "text"
            ? [`Assistant: ${part.text}`]
            : part.type === "tool_call"
              ? [`Assistant called ${part.name} with ${clip(JSON.stringify(part.args))}`]
              : [],
        )
        .join("\n");
    case "tool":
      return message.results
        .map((result) => {
          const text = modelContent(result).map((part) =>
            part.type === "text" ? part.text : `[${part.mediaType}]`,
          );
          return `Result (${result.status}): ${clip(text.join("\n"))}`;
        })
        .join("\n");
  }
}

const clip = (text: string): string =>
  text.length > maxResultCharacters ? `${text.slice(0, maxResultCharacters)}…` : text;
