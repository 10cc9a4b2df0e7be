import type { Chunk } from "@/lib/protocol/chunk";
import { meaningOf } from "@/lib/protocol/questions";

/** Qualified names of tools that a person has allowed for the rest of a chain of runs; a fold of its logs. */
export class AllowedTools {
  private readonly asked = new Map<string, string>();
  private readonly names = new Set<string>();

  constructor(chunks: Iterable<Chunk> = []) {
    for (const chunk of chunks) this.add(chunk);
  }

  add(chunk: Chunk): void {
    if (chunk.type === "approval_request") this.asked.set(chunk.requestId, chunk.call.name);
    if (chunk.type !== "answer") return;
    const meaning = meaningOf(chunk.answer);
    if (meaning?.effect !== "run" || meaning.covers !== "run") return;
    const name = this.asked.get(chunk.requestId);
    if (name) this.names.add(name);
  }

  has(name: string): boolean {
    return this.names.has(name);
  }
}
