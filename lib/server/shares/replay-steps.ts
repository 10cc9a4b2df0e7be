import type { Chunk } from "@/lib/protocol/chunk";
import type { StoredMessage } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { callOf } from "@/lib/protocol/pending-requests";
import type { ReplayStep } from "@/lib/protocol/share-replay";
import type { Usage } from "@/lib/protocol/usage";
import { type Draft, placesOf, scaled, shownParts } from "./replay-places";

/** A message of a run and where it stands in the copy. */
export interface PlacedMessage {
  message: StoredMessage;
  /** As it is shown: other texts, fewer parts. */
  shown: StoredMessage;
  at: number;
}

export interface ReplaySource {
  log: Iterable<Chunk>;
  /** Epoch ms. */
  from: number;
  /** Of this run alone, in order. */
  messages: readonly PlacedMessage[];
  /** Whether the arguments of a call are shown as the model wrote them. */
  isFull(name: string): boolean;
  /** A name as the copy tells it. */
  tell(name: string): string;
}

/**
 * The steps in which a run has written its messages. Null where the log does not tell how each of them came to be: a person has
 * edited it, or it was copied from another answer.
 */
export function replaySteps(source: ReplaySource): ReplayStep[] | null {
  if (source.messages.some(({ message }) => message.role === "assistant" && message.by === "person"))
    return null;
  const fold = new StepFold(source);
  for (const chunk of source.log) fold.add(chunk);
  return fold.end();
}

class StepFold {
  private readonly out: (ReplayStep | Draft)[] = [];
  private readonly turns = new Map<string, Draft[]>();
  private readonly answers: PlacedMessage[];
  private readonly said: PlacedMessage[];
  private readonly calls = new Map<ToolCallId, string>();
  private now = 0;

  constructor(private readonly source: ReplaySource) {
    this.answers = source.messages.filter(({ message }) => message.role === "assistant");
    this.said = source.messages.filter(({ message: { role } }) => role === "user" || role === "summary");
    for (const { message } of this.answers)
      for (const part of message.role === "assistant" ? message.parts : [])
        if (part.type === "tool_call") this.calls.set(part.id, part.name);
  }

  add(chunk: Chunk): void {
    const { agent } = chunk;
    // What recovery writes comes hours after the end.
    const isLate = chunk.type === "result" && chunk.result.stopReason === "interrupted";
    if (chunk.at !== undefined && !isLate) this.now = Math.max(this.now, chunk.at - this.source.from);
    const step = { at: this.now, ...(agent !== undefined && { agent: this.source.tell(agent) }) };
    switch (chunk.type) {
      case "iteration": {
        this.match(agent);
        const { index, limit } = chunk;
        this.out.push({ ...step, is: "loop", index, ...(limit !== undefined && { limit }) });
        break;
      }
      case "text":
      case "reasoning":
        this.write(chunk, agent);
        break;
      case "tool_input": {
        const name = this.calls.get(chunk.id);
        // How long arguments were written tells how long they are.
        if (chunk.at !== undefined && name !== undefined && this.source.isFull(name)) {
          this.calls.delete(chunk.id);
          this.out.push({ ...step, is: "writing", id: chunk.id, name: this.source.tell(name) });
        }
        break;
      }
      case "tool_call":
        this.draft({ type: "tool_call", id: chunk.call.id }, agent);
        break;
      case "usage":
        if (chunk.stopReason) this.match(agent);
        this.out.push({
          ...{ ...step, is: "turn", usage: usageOf(chunk) },
          ...(chunk.stopReason && { stopReason: chunk.stopReason }),
        });
        break;
      case "tool_start":
        this.out.push({ ...step, is: "start", id: chunk.id });
        break;
      case "tool_result":
        this.out.push({ ...step, is: "result", id: chunk.result.id, ms: chunk.durationMs });
        break;
      case "message": {
        const placed = this.said.shift();
        if (placed) this.out.push({ ...step, is: "message", message: placed.at });
        break;
      }
      case "notice":
        // The turn begins again: what it has said is in no message.
        if (chunk.kind === "retry" || chunk.kind === "repair") this.turns.delete(agent ?? "");
        this.out.push({ ...step, is: "notice", kind: chunk.kind });
        break;
      case "agent":
        if (chunk.event !== "start") this.out.push({ ...step, is: "step" });
        break;
      case "approval_request":
      case "input_request":
      case "budget_request":
      case "step_request": {
        const id = callOf(chunk);
        this.out.push({ ...step, is: "ask", ...(id !== undefined && { id }) });
        break;
      }
      case "answer":
        this.out.push({ ...step, is: "answer", ...(chunk.id !== undefined && { id: chunk.id }) });
        break;
      case "result": {
        for (const each of this.turns.keys()) this.match(each || undefined);
        const { stopReason } = chunk.result;
        this.out.push({ ...step, is: "end", stopReason });
        break;
      }
      case "tool_progress":
      case "tool_state":
      case "request":
        break;
    }
  }

  end(): ReplayStep[] | null {
    for (const each of this.turns.keys()) this.match(each || undefined);
    if (this.answers.length > 0 || this.said.length > 0) return null;
    return this.out.flatMap((step) => ("steps" in step ? step.steps : step));
  }

  /** A piece without a time goes on with the one before it. */
  private write(
    { type, content, at }: Extract<Chunk, { type: "text" | "reasoning" }>,
    agent: string | undefined,
  ) {
    const last = this.turns.get(agent ?? "")?.at(-1);
    if (at === undefined && last?.what.type === type && this.out.at(-1) === last)
      last.what.characters += content.length;
    else this.draft({ type, characters: content.length }, agent);
  }

  private draft(what: Draft["what"], agent: string | undefined): void {
    const draft: Draft = { at: this.now, agent, what, steps: [] };
    const turn = this.turns.get(agent ?? "");
    if (turn) turn.push(draft);
    else this.turns.set(agent ?? "", [draft]);
    this.out.push(draft);
  }

  /** Gives what a turn has written its places in the message that it has become. */
  private match(agent: string | undefined): void {
    const drafts = this.turns.get(agent ?? "") ?? [];
    this.turns.delete(agent ?? "");
    if (drafts.length === 0) return;
    const at = this.answers.findIndex(({ message }) => message.agent === agent);
    const placed = this.answers[at];
    if (placed?.message.role !== "assistant" || placed.shown.role !== "assistant") return;
    const places = placesOf(drafts, placed.message);
    if (!places) return;
    this.answers.splice(at, 1);
    const shownAt = shownParts(placed.message, placed.shown);
    for (const [index, draft] of drafts.entries())
      for (const { part, to } of places[index] ?? []) {
        const own = shownAt[part];
        const shown = own === undefined ? undefined : placed.shown.parts[own];
        if (own === undefined || !shown) continue;
        const told = agent !== undefined && { agent: this.source.tell(agent) };
        const step = { at: draft.at, ...told, message: placed.at, part: own };
        if (shown.type === "tool_call") draft.steps.push({ ...step, is: "call" });
        else
          draft.steps.push({
            ...step,
            is: "part",
            to: scaled(to, placed.message.parts[part], shown),
          });
      }
  }
}

const usageOf = ({ inputTokens, outputTokens, cachedInputTokens, cost }: Usage): Usage => ({
  ...{ inputTokens, outputTokens },
  ...(cachedInputTokens !== undefined && { cachedInputTokens }),
  ...(cost !== undefined && { cost }),
});
