import type { Chunk } from "@/lib/protocol/chunk";
import { redact } from "@/lib/protocol/redact";
import { encodeEvent } from "@/lib/protocol/sse";
import { Packet } from "@/lib/server/http/packet";
import type { LogEvent } from "@/lib/store/types";

/** Of one batch; what a socket takes at once. */
export const maxBatchChars = 64_000;
/** Events that wait for a reader of a live run; from then on it is given pieces of text together. */
const manyWaiting = 32;
/** Characters of one merged piece, so that a reader sees the answer grow. */
const maxPiece = 16_000;

/** An event of a run for its readers. */
export class Frame {
  constructor(
    readonly seq: number,
    readonly chunk: Chunk,
    /** With it, an event that stands for all from that number on. */
    private readonly from?: number,
  ) {}

  /** As it goes over the wire. Not kept: readers share what a batch makes of it, and of a thousand runs it takes 50 MB. */
  encode(): string {
    const event = this.chunk.type === "result" ? "result" : "chunk";
    const shown = redact(this.chunk);
    const data = this.from === undefined ? shown : { ...shown, from: this.from };
    return encodeEvent({ event, id: this.seq, data });
  }
}

export const toFrame = ({ seq, data }: Pick<LogEvent, "seq" | "data">): Frame => new Frame(seq, data);

/** What a reader gets at once. */
export interface Batch {
  packet: Packet;
  /** The number of its last event. */
  last: number;
  /** When that one was made, where it is the newest of the log. */
  at?: number;
}

/** The first of these frames; `mayMerge` for a reader of a live run, when many of them wait. */
export function toBatch(frames: readonly Frame[], mayMerge: boolean): Batch | undefined {
  let text = "";
  let last = 0;
  for (const frame of mayMerge && frames.length > manyWaiting ? mergePieces(frames) : frames) {
    const next = frame.encode();
    if (text !== "" && text.length + next.length > maxBatchChars) break;
    text += next;
    last = frame.seq;
  }
  return text === "" ? undefined : { packet: new Packet(text), last };
}

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
  return new Frame(seq, { ...(chunk as Piece), content }, from);
}
