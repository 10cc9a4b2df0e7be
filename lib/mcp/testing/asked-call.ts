import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { ToolBoxOptions } from "@/lib/mcp/calls/tool-box";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { Answer } from "@/lib/protocol/answer";
import type { StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";

export interface AskedCallOptions extends Pick<ToolBoxOptions, "sample" | "person"> {
  args?: Record<string, unknown>;
  /** What earlier runs have stored, possibly of another process. */
  past?: readonly StepChunk[];
}

/** One call as a run makes it, resumed as often as needed. */
export function askedCall(pool: McpPool, name: string, options: AskedCallOptions = {}) {
  const { args = {}, past = [], sample, person } = options;
  const open: OpenCalls = openCalls(past);
  const chunks: StepChunk[] = [];
  const box = pool.toolBox({ open, inFlight: new InFlightCalls(), sample, person });
  const id = "call_1" as ToolCallId;
  const note = (chunk: StepChunk) => {
    chunks.push(chunk);
    openCalls([chunk], open);
  };
  const stop = new AbortController();
  return {
    chunks,
    stop,
    run: () =>
      box.call(
        { type: "tool_call", id, name, args },
        { signal: stop.signal, emit: async (chunk) => note(chunk) },
      ),
    /** Answers the newest question, or one of several. */
    answer: (answer: Answer, requestId?: string) => {
      const questions = chunks.filter(
        (chunk) => chunk.type === "input_request" || chunk.type === "approval_request",
      );
      const asked = questions.findLast((question) => !requestId || question.requestId === requestId);
      if (!asked) throw new Error("Nothing was asked.");
      note({ type: "answer", requestId: asked.requestId, id, answer });
    },
    ofType: <Type extends StepChunk["type"]>(type: Type) =>
      chunks.filter((chunk): chunk is Extract<StepChunk, { type: Type }> => chunk.type === type),
  };
}
