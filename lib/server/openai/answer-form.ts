import type { HttpError } from "@/lib/server/http/errors";
import { Packet } from "@/lib/server/http/packet";
import type { Batch, Frame } from "@/lib/server/loop/frames";
import type { RunTail } from "@/lib/server/loop/run-tail";
import type { RunForm } from "@/lib/server/runs/run-reader";
import type { Answer, WrittenPiece } from "./answer";

/** Writes an answer as the events of one wire; each gives text of an event stream. */
export interface AnswerWriter {
  /** The first one also begins the answer. */
  text(piece: string): string;
  /** Of a call that is for the program, as it is written. */
  call(piece: WrittenPiece): string;
  end(answer: Answer): string;
  fail(error: HttpError): string;
}

const nothing = new Packet("");

/** The form in which a program reads the runs of its answer: their words, as they come. What is told at the end is not its matter. */
export class AnswerForm implements RunForm {
  readonly greeting = nothing;

  constructor(
    private readonly runId: string,
    private readonly answer: Answer,
    /** Undefined where the answer is told as a whole. */
    private readonly writer: AnswerWriter | undefined,
  ) {}

  open(): Packet {
    return nothing;
  }

  ofTail(tail: RunTail, seq: number): Batch | undefined {
    return this.toBatch(tail.framesAfter(seq));
  }

  readonly toBatch = (frames: readonly Frame[]): Batch | undefined => {
    const last = frames.at(-1);
    if (!last) return undefined;
    let text = "";
    for (const { chunk } of frames) {
      const piece = this.answer.take(chunk, this.runId);
      if (piece === undefined || !this.writer) continue;
      text += typeof piece === "string" ? this.writer.text(piece) : this.writer.call(piece);
    }
    return { packet: text === "" ? nothing : new Packet(text), last: last.seq };
  };

  async end(): Promise<Packet> {
    return nothing;
  }
}
