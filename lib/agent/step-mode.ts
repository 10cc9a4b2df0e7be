import type { Answer, StepEdit } from "@/lib/protocol/answer";
import type { Chunk, StepRequest } from "@/lib/protocol/chunk";
import { isFor } from "@/lib/protocol/chunk-kinds";
import type { ToolCallId } from "@/lib/protocol/ids";
import { meaningOf } from "@/lib/protocol/questions";
import { statusAfter } from "@/lib/protocol/run-status";

/** What a person said to a call that waited in step mode: it is made, with this edit. */
export interface Step {
  edit: StepEdit;
}

/** What people have answered to the calls of a chain of runs that waited in step mode: a fold of its logs. */
export class StepMode {
  /** A person has ended the work. Holds until the run has ended. */
  isStopped = false;
  private readonly asked = new Map<string, StepRequest & { agent?: string }>();
  /** By path of the agent. */
  private readonly models = new Map<string, Step>();
  private readonly tools = new Map<ToolCallId, Step>();

  constructor(log: Iterable<Chunk> = []) {
    for (const chunk of log) this.add(chunk);
  }

  add(chunk: Chunk): void {
    if (!isFor("steps", chunk)) return;
    switch (chunk.type) {
      case "step_request":
        this.asked.set(chunk.requestId, chunk);
        if (chunk.kind === "tool") this.tools.delete(chunk.id);
        else this.models.delete(chunk.agent ?? "");
        return;
      case "answer":
        this.take(this.asked.get(chunk.requestId), chunk.answer);
        this.asked.delete(chunk.requestId);
        return;
      case "tool_result":
        this.tools.delete(chunk.result.id);
        return;
      case "usage":
        if (chunk.stopReason) this.models.delete(chunk.agent ?? "");
        return;
      case "result":
        if (statusAfter(chunk.result.stopReason) === "waiting") return;
        // What was cut short is asked about again: what a yes has changed may be in the history already.
        this.models.clear();
        this.isStopped = false;
        return;
    }
    chunk satisfies never;
  }

  /** The answer to the question about the next model call of an agent, once. */
  takeForModel(agent = ""): Step | undefined {
    const step = this.models.get(agent);
    this.models.delete(agent);
    return step;
  }

  /** The answer to the question about a call, until it has a result. */
  forTool(id: ToolCallId): Step | undefined {
    return this.tools.get(id);
  }

  private take(question: (StepRequest & { agent?: string }) | undefined, answer: Answer): void {
    if (!question) return;
    const effect = meaningOf(answer)?.effect;
    if (effect === "stop") this.isStopped = true;
    if (effect !== "step") return;
    const step = { edit: answer.payload ?? {} };
    if (question.kind === "tool") this.tools.set(question.id, step);
    else this.models.set(question.agent ?? "", step);
  }
}
