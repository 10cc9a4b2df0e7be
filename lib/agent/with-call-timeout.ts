import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { CallContext, ToolBox } from "./ports";

/**
 * Ends a call after its time limit, in ms, also one that does not listen to the signal: `unknown` when it had been
 * sent. Waiting for a person does not count, since a call that waits has returned.
 */
export function withCallTimeout(tools: ToolBox, limitMs: number | ((call: ToolCall) => number)): ToolBox {
  return {
    list: () => tools.list(),
    async call(call, context) {
      const ms = typeof limitMs === "number" ? limitMs : limitMs(call);
      const own = new AbortController();
      let isSent = false;
      const emit: CallContext["emit"] = (chunk) => {
        if (own.signal.aborted) return refuse(own.signal.reason);
        if (chunk.type === "tool_start") isSent = true;
        return context.emit(chunk);
      };
      const late = Promise.withResolvers<ToolResult>();
      const timer = setTimeout(() => {
        late.resolve(timedOut(call, ms, isSent));
        own.abort(new Error(`The call took longer than ${ms} ms.`));
      }, ms);
      const onAbort = () => own.abort(context.signal.reason);
      context.signal.addEventListener("abort", onAbort);
      if (context.signal.aborted) onAbort();
      try {
        return await Promise.race([late.promise, tools.call(call, { signal: own.signal, emit })]);
      } finally {
        clearTimeout(timer);
        context.signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

/** Rejects, but whoever does not wait for it need not handle that. */
function refuse(reason: unknown): Promise<void> {
  const refused = Promise.reject(reason);
  refused.catch(() => {});
  return refused;
}

function timedOut({ id }: ToolCall, ms: number, isSent: boolean): ToolResult {
  const text = `No answer within ${ms / 1000} s, the time limit of a call.`;
  return { id, status: isSent ? "unknown" : "error", content: [{ type: "text", text }] };
}
