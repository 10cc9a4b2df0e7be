import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";
import { statusAfter } from "@/lib/protocol/run-status";
import { addUsage, type Usage } from "@/lib/protocol/usage";
import { toCallId } from "./call-refs";

/** A call of one of the program's tools. */
export interface HandedCall {
  /** As the program knows it. */
  id: string;
  name: string;
  /** JSON, unless the model wrote something else. */
  arguments: string;
}

/** What an answer is for a program: the words of all turns, over all runs of its chain; of one that is JSON that alone. */
export class Answer {
  readonly usage: Usage = { inputTokens: 0, outputTokens: 0 };
  /** How the newest of its runs has ended. */
  result: AgenticLoopResult | undefined;
  private readonly pieces: string[] = [];
  private isNewTurn = false;
  /** Of the newest turn. */
  private asked: { call: ToolCall; runId: string }[] = [];
  private readonly handed = new Set<ToolCallId>();

  constructor(private readonly isJson = false) {}

  /** The words that a chunk of this run adds, where it does. What the steps of a workflow write on the way is none of its answer. */
  take(chunk: Chunk, runId: string): string | undefined {
    if (chunk.type === "text") return this.isTold(chunk) ? this.say(chunk.content) : undefined;
    if (chunk.type === "result") return this.end(chunk.result);
    if (chunk.type === "tool_call") this.asked.push({ call: chunk.call, runId });
    if (chunk.type === "tool_result" && chunk.result.reason === "handed_over")
      this.handed.add(chunk.result.id);
    if (chunk.type === "iteration") {
      this.isNewTurn = this.pieces.length > 0;
      this.asked = [];
    }
    return undefined;
  }

  get text(): string {
    return this.pieces.join("");
  }

  /** Those that are for the program, once the answer has ended. */
  get calls(): HandedCall[] {
    return this.asked.flatMap(({ call, runId }, index) =>
      this.handed.has(call.id)
        ? {
            id: toCallId({ runId, index }),
            name: call.name,
            arguments: call.malformed ?? JSON.stringify(call.args),
          }
        : [],
    );
  }

  private end(result: AgenticLoopResult): string | undefined {
    this.result = result;
    addUsage(this.usage, result.usage);
    const { steps, stopReason, finalText } = result;
    const isCut = this.isJson && stopReason === "max_tokens";
    const isTold = (steps !== undefined || isCut) && statusAfter(stopReason) !== "waiting";
    return isTold && finalText !== "" ? this.say(finalText) : undefined;
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
