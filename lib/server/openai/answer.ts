import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import { statusAfter } from "@/lib/protocol/run-status";
import { addUsage, type Usage } from "@/lib/protocol/usage";

/** What an answer is for a program: the words of all turns, over all runs of its chain; of one that is JSON that alone. */
export class Answer {
  readonly usage: Usage = { inputTokens: 0, outputTokens: 0 };
  /** How the newest of its runs has ended. */
  result: AgenticLoopResult | undefined;
  private readonly pieces: string[] = [];
  private isNewTurn = false;

  constructor(private readonly isJson = false) {}

  /** The words that a chunk adds, where it does. What the steps of a workflow write on the way is none of its answer. */
  take(chunk: Chunk): string | undefined {
    if (chunk.type === "text") return this.isTold(chunk) ? this.say(chunk.content) : undefined;
    if (chunk.type === "iteration") this.isNewTurn = this.pieces.length > 0;
    if (chunk.type !== "result") return undefined;
    this.result = chunk.result;
    addUsage(this.usage, chunk.result.usage);
    const { steps, stopReason, finalText } = chunk.result;
    const isCut = this.isJson && stopReason === "max_tokens";
    const isTold = (steps !== undefined || isCut) && statusAfter(stopReason) !== "waiting";
    return isTold && finalText !== "" ? this.say(finalText) : undefined;
  }

  get text(): string {
    return this.pieces.join("");
  }

  private isTold({ agent, format }: Extract<Chunk, { type: "text" }>): boolean {
    return agent === undefined && (!this.isJson || format === "json");
  }

  private say(content: string): string {
    const piece = this.isNewTurn ? `\n\n${content}` : content;
    this.isNewTurn = false;
    this.pieces.push(piece);
    return piece;
  }
}
