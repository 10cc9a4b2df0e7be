import type { Chunk } from "@/lib/protocol/chunk";
import { type Frame, toFrame } from "./live-run";

/** Characters of one merged piece, so that a reader sees the answer grow. */
const maxPiece = 16_000;

/**
 * Pieces of text, or of a call's arguments, that follow each other, as one event under the number of the last; `from` is
 * the number of the first. For a reader that has fallen behind: it catches up with a fraction of the events.
 */
export function mergePieces(frames: readonly Frame[]): Frame[] {
  const merged: Frame[] = [];
  let run: Frame[] = [];
  let length = 0;
  const flush = () => {
    const [first, last] = [run[0], run.at(-1)];
    if (first && last) merged.push(first === last ? first : joined(first, last, run));
    run = [];
    length = 0;
  };
  for (const frame of frames) {
    const { chunk } = frame;
    const size = isPiece(chunk) ? chunk.content.length : 0;
    if (run[0] && (!continues(run[0].chunk, chunk) || length + size > maxPiece)) flush();
    if (!isPiece(chunk)) merged.push(frame);
    else {
      run.push(frame);
      length += size;
    }
  }
  flush();
  return merged;
}

type Piece = Extract<Chunk, { type: "text" | "reasoning" | "tool_input" }>;

const isPiece = (chunk: Chunk): chunk is Piece =>
  chunk.type === "tool_input" ||
  ((chunk.type === "text" || chunk.type === "reasoning") &&
    chunk.signature === undefined &&
    !("format" in chunk));

/** Only pieces without a time: the writer stamps every other chunk. */
const continues = (first: Chunk, next: Chunk): boolean =>
  isPiece(next) &&
  next.at === undefined &&
  next.type === first.type &&
  next.agent === first.agent &&
  (next.type !== "tool_input" || first.type !== "tool_input" || next.id === first.id);

function joined({ seq: from, chunk }: Frame, { seq }: Frame, pieces: readonly Frame[]): Frame {
  const content = pieces.map((frame) => (isPiece(frame.chunk) ? frame.chunk.content : "")).join("");
  return toFrame({ seq, data: { ...(chunk as Piece), content } }, from);
}
