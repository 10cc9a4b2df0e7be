import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";

/** What turns repeat: `calls` the same calls, `names` calls of the same tools while none of them has run. */
export type Repetition = "calls" | "names";

/** Turns in a row that have said the same. Equal calls of one turn are one. */
interface Streak {
  last: string;
  turns: number;
}

interface Asked extends Record<Repetition, Streak> {
  /** Of the turn that is being written. */
  open: Map<ToolCallId, ToolCall>;
}

/** How often agents ask for the same in turns in a row, whether it runs or is refused: a fold of a chain of logs. */
export class Repetitions {
  /** By agent path; those that run side by side repeat nothing of each other. */
  private readonly agents = new Map<string, Asked>();
  /** Open calls of a turn that repeats the ones before once too often. */
  private readonly found = new Map<ToolCallId, Repetition>();

  constructor(private readonly maxTurns: number) {}

  /** What a call repeats of the turns before, once that has happened too often. */
  of(id: ToolCallId): Repetition | undefined {
    return this.found.get(id);
  }

  /** Counts from the start. */
  reset(): void {
    for (const { calls, names } of this.agents.values()) calls.turns = names.turns = 0;
    this.found.clear();
  }

  /** A turn begins; what one that broke off has left does not count. */
  begin(chunk: Chunk): void {
    this.askedBy(chunk).open.clear();
  }

  note(chunk: Extract<Chunk, { type: "tool_call" }>): void {
    this.askedBy(chunk).open.set(chunk.call.id, chunk.call);
  }

  /** A call has been sent: nobody is asked any more whether it may run. */
  start(chunk: Extract<Chunk, { type: "tool_start" }>): void {
    this.askedBy(chunk).names.turns = 0;
    this.found.delete(chunk.id);
  }

  /** What has a good result has run, wherever that came from. */
  settle({ result, agent }: Extract<Chunk, { type: "tool_result" }>): void {
    if (result.status === "ok") this.askedBy({ agent }).names.turns = 0;
    this.found.delete(result.id);
  }

  /** A turn has ended; one that was cut off is as if it had not been. */
  close(chunk: Extract<Chunk, { type: "usage" }>): void {
    const { open, calls, names } = this.askedBy(chunk);
    if (chunk.stopReason !== "max_tokens") {
      const all = [...open.values()];
      count(calls, all.map(keyOf));
      count(
        names,
        all.map(({ name }) => name),
      );
      const kind = [calls, names].find(({ turns }) => turns >= this.maxTurns);
      if (kind) for (const id of open.keys()) this.found.set(id, kind === calls ? "calls" : "names");
    }
    open.clear();
  }

  private askedBy({ agent = "" }: { agent?: string | undefined }): Asked {
    const known = this.agents.get(agent) ?? {
      open: new Map(),
      calls: { last: "", turns: 0 },
      names: { last: "", turns: 0 },
    };
    this.agents.set(agent, known);
    return known;
  }
}

function count(streak: Streak, said: readonly string[]): void {
  const key = [...new Set(said)].sort().join("\n");
  streak.turns = key === streak.last ? streak.turns + 1 : 1;
  streak.last = key;
}

const keyOf = ({ name, args, malformed }: ToolCall): string => `${name} ${malformed ?? JSON.stringify(args)}`;
