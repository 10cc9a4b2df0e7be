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
  /** What of them has been told already, while they were written; undefined where nothing was told of the call. */
  told?: string;
}

/** A piece of the arguments of such a call. */
export interface WrittenPiece {
  id: string;
  name: string;
  /** Among the calls for the program. */
  index: number;
  /** The first one tells of the call. */
  isFirst: boolean;
  content: string;
}

/** The tools of a program whose arguments are told as they are written. */
export interface TheirTools {
  names: ReadonlySet<string>;
  /** Of one turn the first call alone is for the program. */
  oneCall: boolean;
}

type Telling = Pick<WrittenPiece, "id" | "index"> & { content: string };

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
  /** The calls of the newest turn, in the order in which the model began them … */
  private begun = new Set<ToolCallId>();
  /** … and what has been told of those that are for the program. */
  private readonly telling = new Map<ToolCallId, Telling>();
  /** Whether the model began anew after a piece of a call had been told, which cannot be taken back. */
  private isTorn = false;

  constructor(
    private readonly isJson = false,
    private readonly theirs?: TheirTools,
  ) {}

  /**
   * The words that a chunk of this run adds, or the piece of a call that is for the program, where it does. What the steps of a
   * workflow write on the way is none of its answer.
   */
  take(chunk: Chunk, runId: string): string | WrittenPiece | undefined {
    if (chunk.type === "text") return this.isTold(chunk) ? this.say(chunk.content) : undefined;
    if (chunk.type === "tool_input") return this.write(chunk, runId);
    if (chunk.type === "result") return this.end(chunk.result);
    if (chunk.type === "tool_call") {
      this.begun.add(chunk.call.id);
      this.asked.push({ call: chunk.call, runId });
    }
    if (chunk.type === "tool_result" && chunk.result.reason === "handed_over")
      this.handed.add(chunk.result.id);
    if (chunk.type === "iteration") {
      this.isNewTurn = this.pieces.length > 0;
      this.asked = [];
      this.begun = new Set();
      this.isTorn ||= this.telling.size > 0;
    }
    return undefined;
  }

  get text(): string {
    return this.pieces.join("");
  }

  /** Those that are for the program, once the answer has ended. */
  get calls(): HandedCall[] {
    return this.asked.flatMap(({ call, runId }, index) => {
      if (!this.handed.has(call.id)) return [];
      const told = this.telling.get(call.id)?.content;
      return {
        ...{ id: toCallId({ runId, index }), name: call.name },
        arguments: told?.trim() ? told : (call.malformed ?? JSON.stringify(call.args)),
        ...(told !== undefined && { told }),
      };
    });
  }

  /** Whether what was told of calls is what came of them. An answer that a limit has cut short is what it is. */
  get isSound(): boolean {
    if (this.isTorn) return false;
    if (this.result?.stopReason !== "end_turn") return true;
    const ids = this.calls.map(({ id }) => id);
    return this.telling.values().every(({ id, index }) => ids[index] === id);
  }

  private write(
    { id, name, content, agent }: Extract<Chunk, { type: "tool_input" }>,
    runId: string,
  ): WrittenPiece | undefined {
    this.begun.add(id);
    if (agent !== undefined || !this.theirs?.names.has(name)) return undefined;
    const known = this.telling.get(id);
    if (!known && this.theirs.oneCall && this.telling.size > 0) return undefined;
    const call = known ?? {
      ...{ id: toCallId({ runId, index: this.begun.size - 1 }), index: this.telling.size, content: "" },
    };
    call.content += content;
    this.telling.set(id, call);
    return { id: call.id, name, index: call.index, isFirst: !known, content };
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

/** What is still to be told of arguments: all of them where the model wrote nothing, which means none. */
export const restOf = ({ told = "", arguments: all }: HandedCall): string => (told.trim() === "" ? all : "");
