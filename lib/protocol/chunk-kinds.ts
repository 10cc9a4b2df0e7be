import type { Chunk } from "./chunk";

/** What is folded from a log; the view of the page (`reduceRun`) is too, and has a case for every kind. */
type Fold = "history" | "timeline" | "questions" | "calls" | "budget" | "steps" | "plan";

interface ChunkKind {
  /**
   * `durable`: the loop goes on only when it would survive a power cut. `batched`: it is stored together with others.
   * `lossy`: likewise, and dropped while too many of a call wait to be stored.
   */
  write: "durable" | "batched" | "lossy";
  /** A part of the model's answer; the first one ends the wait for it. */
  isAnswer?: true;
  /** Which folds have a case for it. */
  folds: readonly Fold[];
  /** Whether a part of it stays on the server; `redact` then has a case for it. */
  isPrivate: boolean;
}

/**
 * What is done with each kind of chunk. The `switch` of a fold and of `redact` has a case for exactly the kinds that say so
 * here: one that is missing and one too many do not compile.
 */
const chunkKinds = {
  iteration: { write: "batched", isPrivate: false, folds: ["history", "timeline", "budget"] },
  request: { write: "batched", isPrivate: true, folds: [] },
  text: { write: "batched", isPrivate: true, folds: ["history", "timeline"], isAnswer: true },
  reasoning: { write: "batched", isPrivate: true, folds: ["history", "timeline"], isAnswer: true },
  tool_input: { write: "batched", isPrivate: false, folds: ["timeline"], isAnswer: true },
  tool_call: { write: "batched", isPrivate: true, folds: ["history", "timeline", "budget"], isAnswer: true },
  tool_start: {
    write: "durable",
    isPrivate: false,
    folds: ["history", "timeline", "questions", "calls", "budget", "plan"],
  },
  tool_progress: { write: "lossy", isPrivate: false, folds: [] },
  tool_state: { write: "durable", isPrivate: true, folds: ["questions", "calls"] },
  tool_result: {
    write: "batched",
    isPrivate: false,
    folds: ["history", "timeline", "questions", "calls", "budget", "steps"],
  },
  approval_request: { write: "durable", isPrivate: true, folds: ["questions", "calls", "plan"] },
  input_request: { write: "durable", isPrivate: false, folds: ["questions", "calls"] },
  budget_request: { write: "durable", isPrivate: false, folds: ["questions", "budget"] },
  step_request: { write: "durable", isPrivate: false, folds: ["questions", "steps"] },
  answer: { write: "durable", isPrivate: true, folds: ["questions", "calls", "budget", "steps", "plan"] },
  message: { write: "batched", isPrivate: true, folds: ["history"] },
  notice: { write: "lossy", isPrivate: false, folds: ["timeline"] },
  usage: { write: "batched", isPrivate: false, folds: ["history", "timeline", "budget", "steps"] },
  agent: { write: "batched", isPrivate: false, folds: [] },
  result: { write: "durable", isPrivate: true, folds: ["history", "timeline", "budget", "steps"] },
} as const satisfies Record<Chunk["type"], ChunkKind>;

export const isKnownKind = (type: string): boolean => Object.hasOwn(chunkKinds, type);

export const kindOf = ({ type }: Chunk): ChunkKind =>
  (chunkKinds as Partial<Record<string, ChunkKind>>)[type] ?? unknown;

/** In the log of a newer version; no fold has a case for it. */
const unknown: ChunkKind = { write: "batched", isPrivate: true, folds: [] };

type Kinds = typeof chunkKinds;
type Kind = keyof Kinds;

/** A chunk that a fold makes something of. */
export const isFor = <F extends Fold>(fold: F, chunk: Chunk): chunk is ChunkFor<F> =>
  kindOf(chunk).folds.includes(fold);

/** A chunk of which something stays on the server. */
export const isPrivate = (chunk: Chunk): chunk is PrivateChunk => kindOf(chunk).isPrivate;

type ChunkFor<F extends Fold> = Extract<
  Chunk,
  { type: { [K in Kind]: F extends Kinds[K]["folds"][number] ? K : never }[Kind] }
>;

type PrivateChunk = Extract<
  Chunk,
  { type: { [K in Kind]: Kinds[K]["isPrivate"] extends true ? K : never }[Kind] }
>;
