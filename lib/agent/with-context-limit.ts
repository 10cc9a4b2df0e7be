import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, SummaryMessage } from "@/lib/protocol/message";
import { ChosenContext } from "./chosen-context";
import { tokensOfTurn } from "./estimate-tokens";
import { passThroughAfterFirst, type StartedTurn, untilFirstChunk } from "./pass-through-after-first";
import { type ModelChunks, type Provider, ProviderError, type Turn } from "./ports";
import { summarise } from "./summarise";
import { cutResults, type Trimmed, trimResults } from "./trim-results";
import { type ResultArchive, readResultSpec } from "./with-result-reader";

export interface ContextOptions {
  /** Tokens that the model can read; without it only the provider's refusal says that there are too many. */
  window: number | undefined;
  /** Keeps the whole results that the model reads only a placeholder of. */
  archive: ResultArchive;
  /** Asks for the turn itself; summaries are asked of the model as it is. */
  before?: (model: Provider) => Provider;
  /** What the log is told of a turn before the model is asked; not of turns that only make a summary. */
  record?: (sent: Turn) => ModelChunk;
  /** What a person has left out or pinned; nothing where it is absent. */
  chosen?: ChosenContext;
}

/** Of the window; the rest is for the answer and for what the estimate is wrong by. */
const usable = 0.8;

/** Tokens from which on a turn is made shorter. */
export const shortensAt = (window: number): number => Math.floor(window * usable);
/** Of what is left: the newest messages that stay as they are beside a summary. */
const kept = 0.4;
/** Of what the provider refused. */
const afterRefusal = 0.6;
/** A result that takes half of it is cut at once. */
const halfInCharacters = 2;
const smallestCut = 400;

/** A turn as it is sent; of its history the newest `tail` messages are what no summary replaces. */
interface Fitted extends Turn {
  tail: number;
  /** By place in the history, whether another summary would change nothing about a message; not about any where there is nothing. */
  stays: readonly boolean[];
}

/**
 * Keeps a turn within what the model can read, after what a person has left out. On nearing the limit, old tool results are
 * replaced by placeholders; when that is not enough, the oldest messages to a summary, which is stored; then the longest
 * results are cut. What is pinned stays. A turn that the provider refuses as too long is made shorter once more. Each step
 * yields a `notice`.
 */
export function withContextLimit(provider: Provider, options: ContextOptions): Provider {
  const { window, archive, record, before, chosen = new ChosenContext() } = options;
  const asked = before?.(provider) ?? provider;
  const told = new Set<ToolCallId>();
  const isPinned = (id: string) => chosen.isPinned(id);

  function choose(turn: Turn, stored: Turn["history"]): Fitted {
    if (chosen.isEmpty && !stored.some(({ role }) => role === "summary"))
      return { ...turn, history: stored, tail: stored.length, stays: [] };
    const { messages, tail } = chosen.apply(stored);
    chosen.keepLeftOut(archive, messages);
    const stays = messages.map(({ stored, again }) => again === "pinned" || stored.role === "summary");
    return { ...turn, history: messages.map(({ sent }) => sent), tail, stays };
  }

  async function* shorten(
    turn: Fitted,
    limit: number,
    stored: Turn["history"],
  ): AsyncGenerator<ModelChunk, Fitted> {
    let short = turn;
    let counted: { turn: Fitted; tokens: number } | undefined;
    const excess = () => {
      if (limit === Number.POSITIVE_INFINITY) return 0;
      if (counted?.turn !== short) counted = { turn: short, tokens: tokensOfTurn(short) };
      return counted.tokens - limit;
    };
    const leaveOut = function* ({ history, ids }: Trimmed): Generator<ModelChunk> {
      archive.keep(stored, ids);
      short = { ...short, history };
      const fresh = ids.filter((id) => !told.has(id));
      for (const id of fresh) told.add(id);
      if (fresh.length > 0) yield notice(leftOut(fresh.length));
    };
    const trim = function* (): Generator<ModelChunk> {
      if (excess() > 0) yield* leaveOut(trimResults(short.history, excess(), isPinned));
      if (excess() > 0) yield* leaveOut(cutResults(short.history, limit * halfInCharacters, isPinned));
    };
    yield* trim();
    if (excess() > 0) {
      const { tail, stays } = short;
      const bounds = { keepTokens: limit * kept, readTokens: limit, tail, stays };
      const summary = await summarise(provider, short, bounds);
      if (summary) {
        const message: SummaryMessage = {
          role: "summary",
          text: summary.text,
          keep: countStored(stored, summary.kept),
        };
        yield { type: "usage", ...summary.usage };
        yield { type: "message", message };
        // As the log tells it from now on.
        short = choose(short, [...stored, message]);
        yield* trim();
      }
    }
    for (let most = limit; excess() > 0 && most >= smallestCut; most = Math.floor(most / 2))
      yield* leaveOut(cutResults(short.history, most, isPinned));
    return archive.isEmpty ? short : { ...short, tools: withReader(short.tools) };
  }

  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* (): AsyncGenerator<ModelChunks, StartedTurn> {
        const limit = window === undefined ? Number.POSITIVE_INFINITY : shortensAt(window);
        const sent = yield* shorten(choose(turn, turn.history), limit, turn.history);
        if (record) yield record(sent);
        try {
          return yield* untilFirstChunk(asked.stream(sent));
        } catch (error) {
          if (!(error instanceof ProviderError) || error.code !== "context_overflow") throw error;
          const tokens = tokensOfTurn(sent);
          const shorter = yield* shorten(sent, Math.floor(tokens * afterRefusal), turn.history);
          if (tokensOfTurn(shorter) >= tokens) throw error;
          if (record) yield record(shorter);
          return yield* untilFirstChunk(asked.stream(shorter));
        }
      }),
  };
}

/** How many stored messages hold the newest `count` that are no summaries. */
function countStored(stored: readonly ChatMessage[], count: number): number {
  let left = count;
  let at = stored.length;
  while (left > 0 && at > 0) if (stored[--at]?.role !== "summary") left--;
  return stored.length - at;
}

const withReader = (tools: Turn["tools"]): Turn["tools"] =>
  tools.some(({ name }) => name === readResultSpec.name) ? tools : [...tools, readResultSpec];

const notice = (message: string): ModelChunk => ({ type: "notice", kind: "compaction", message });

const leftOut = (count: number): string =>
  count === 1
    ? "An earlier tool result was shortened to make room; the model can read it again."
    : `${count} earlier tool results were shortened to make room; the model can read them again.`;
