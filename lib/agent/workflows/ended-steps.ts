import type { Chunk, StepRecord } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";
import { Transcript } from "@/lib/protocol/transcript";

/**
 * What a workflow's log holds of whole steps, for a run that a crash cut short: their messages, in the order in which they
 * ended, and their ends. `before` are the logs of the runs that it continues, where steps may have begun.
 */
export function endedSteps(
  log: Iterable<Chunk>,
  before: Iterable<Chunk> = [],
): { delta: ChatMessage[]; steps: StepRecord[] } {
  const transcripts = new Map<string, Transcript>();
  const of = (agent: string) => {
    const known = transcripts.get(agent) ?? new Transcript([], [], agent, "drop");
    transcripts.set(agent, known);
    return known;
  };
  for (const chunk of before) if (chunk.agent !== undefined) of(chunk.agent).add(chunk);
  const delta: ChatMessage[] = [];
  const steps: StepRecord[] = [];
  for (const chunk of log) {
    const { agent } = chunk;
    if (agent === undefined) continue;
    const mine = of(agent);
    mine.add(chunk);
    if (chunk.type !== "agent" || chunk.event === "start") continue;
    delta.push(...mine.close().delta.map((message) => ({ ...message, agent })));
    const { event, rounds, by } = chunk;
    steps.push({ agent, event, ...(rounds !== undefined && { rounds }), ...(by !== undefined && { by }) });
  }
  return { delta, steps };
}
