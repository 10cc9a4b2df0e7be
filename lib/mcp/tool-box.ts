import type { CallContext, ToolBox, ToolSpec } from "@/lib/agent/ports";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { changedOutcome } from "./call-tool";
import type { Progress } from "./connection";
import { errorOutcome, type Outcome } from "./read-result";
import type { Flights } from "./types";

const progressMs = 100;

type Send = (
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
  traceparent: string | undefined,
) => Promise<Outcome>;

/** What a tool box needs of the pool. */
export interface ToolSource {
  specs(): readonly ToolSpec[];
  /** How the call is sent. Undefined for a tool that nobody offers, "changed" for one that is not what was judged. */
  find(call: ToolCall): Send | "changed" | undefined;
}

/**
 * The tools of the pool for one run. The intent (`tool_start`) is stored before a call is sent; a call in flight is
 * joined, never sent twice; the run's signal gives it up.
 */
export function createToolBox(source: ToolSource, flights: Flights): ToolBox {
  return {
    list: () => source.specs(),
    call: async (call, context) => {
      const cancel = () => flights.release(call.id);
      context.signal.addEventListener("abort", cancel, { once: true });
      const progress = relayProgress(call, context);
      try {
        const flight =
          flights.join<Outcome>(call.id) ??
          flights.launch(call.id, (signal) => fly(source, call, context, signal, progress.put));
        const outcome = await flight;
        progress.flush();
        return { id: call.id, ...outcome } satisfies ToolResult;
      } finally {
        context.signal.removeEventListener("abort", cancel);
        progress.stop();
      }
    },
  };
}

async function fly(
  source: ToolSource,
  call: ToolCall,
  { emit, signal: run, traceparent }: CallContext,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Outcome> {
  const { id, args } = call;
  const send = source.find(call);
  if (!send) return errorOutcome(unknownTool(call.name, source.specs()));
  if (send === "changed") return changedOutcome();
  try {
    run.throwIfAborted();
    await emit({ type: "tool_start", id, args });
    run.throwIfAborted();
    signal.throwIfAborted();
  } catch {
    return errorOutcome("Not run: stopped before it was sent.");
  }
  return send(signal, onProgress, traceparent);
}

function unknownTool(name: string, specs: readonly ToolSpec[]): string {
  const names = specs.map((spec) => spec.name).slice(0, 200);
  return `There is no tool ${name}. ${names.length > 0 ? `The tools are: ${names.join(", ")}.` : "No tool is ready."}`;
}

/** At most ten chunks a second, the newest value each time; whoever reads too slowly gets fewer. */
function relayProgress({ id }: ToolCall, { emit }: CallContext) {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let storing = false;
  const flush = () => {
    if (!latest) return;
    const { progress, total, message } = latest;
    latest = undefined;
    storing = true;
    emit({
      type: "tool_progress",
      id,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: message.slice(0, 1_000) }),
    })
      .catch(() => {}) // the reader has gone; the call's result says so soon enough
      .finally(() => {
        storing = false;
      });
  };
  const tick = () => {
    timer = undefined;
    if (!latest) return;
    if (!storing) flush();
    timer = setTimeout(tick, progressMs);
  };
  return {
    put: (progress: Progress) => {
      latest = progress;
      if (timer) return;
      if (!storing) flush();
      timer = setTimeout(tick, progressMs);
    },
    flush,
    stop: () => clearTimeout(timer),
  };
}
