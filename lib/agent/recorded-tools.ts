import { canonicalJson } from "@/lib/protocol/canonical-json";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { RunError, type ToolBox, type ToolSpec } from "./ports";

export interface RecordedOptions {
  /** What the model is offered; by default what the log says that it was, or the names that it has called. */
  specs?: readonly ToolSpec[];
  /** What the logs of the runs hold that this one continues: what they took from the recording is used up. */
  past?: Iterable<Chunk>;
  /** Answers what is not in the recording; by default the run ends `tape_miss`. */
  misses?: Pick<ToolBox, "call">;
}

/**
 * The tools of a recorded run, or of a chain of them, without their servers: a call gets what the log says of one with the
 * same name and arguments (equal as JSON, whatever the order of names); equal calls get theirs in the order in which they
 * were made. A result is given out once. Nothing is sent, so that the log of the new run has no `tool_start` of it.
 */
export function recordedTools(
  log: Iterable<Chunk>,
  { specs, past = [], misses = noMisses }: RecordedOptions = {},
): ToolBox {
  const recording = [...log];
  const list = specs ?? specsIn(recording);
  const left = new Map<string, { results: ToolResult[]; next: number }>();
  for (const { key, result } of answeredIn(recording)) {
    const known = left.get(key);
    if (known) known.results.push(result);
    else left.set(key, { results: [result], next: 0 });
  }
  const take = (key: string): ToolResult | undefined => {
    const known = left.get(key);
    return known?.results[known.next++];
  };
  for (const { key } of answeredIn(past)) take(key);
  return {
    list: () => list,
    async call(call, context) {
      const result = take(keyOf(call));
      return result ? { ...result, id: call.id } : misses.call(call, context);
    },
  };
}

/** Ends a run that asks for what its recording does not have. */
export const noMisses: Pick<ToolBox, "call"> = {
  call: async ({ name }) => {
    throw new RunError(
      "tape_miss",
      `The recording has no result of ${name} with these arguments. Run it again so that it asks, or calls the tool.`,
    );
  },
};

/** Calls with the result that counts in the end, in the order of the calls. */
function answeredIn(log: Iterable<Chunk>): { key: string; result: ToolResult }[] {
  const asked: { key: string; result?: ToolResult }[] = [];
  const byId = new Map<ToolCallId, (typeof asked)[number]>();
  for (const chunk of log) {
    if (chunk.type === "tool_call") {
      const call = { key: keyOf(chunk.call) };
      asked.push(call);
      byId.set(chunk.call.id, call);
    } else if (chunk.type === "tool_result") {
      const call = byId.get(chunk.result.id);
      if (call && hasEnded(chunk.result)) call.result = chunk.result;
    }
  }
  return asked.flatMap(({ key, result }) => (result ? [{ key, result }] : []));
}

/** Nobody has answered the others: they are not recorded. */
const hasEnded = ({ reason }: ToolResult): boolean => reason !== "cut_short" && reason !== "left_open";

const keyOf = ({ name, args, malformed }: ToolCall): string => `${name} ${malformed ?? canonicalJson(args)}`;

/** A log that has left the process has the contents of its requests; one that has not names what it has called. */
function specsIn(log: readonly Chunk[]): ToolSpec[] {
  const specs = new Map<string, ToolSpec>();
  for (const chunk of log) {
    if (chunk.type !== "request" || !chunk.tools) continue;
    const written = chunk.contents?.[chunk.tools];
    for (const spec of written === undefined ? [] : (JSON.parse(written) as ToolSpec[]))
      specs.set(spec.name, spec);
  }
  for (const chunk of log)
    if (chunk.type === "tool_call" && !specs.has(chunk.call.name))
      specs.set(chunk.call.name, { name: chunk.call.name, description: "", inputSchema: { type: "object" } });
  return [...specs.values()];
}
