import type { CallWatch } from "@/lib/mcp/call-by-hand";
import type { McpTriedCall, McpTryEvent } from "@/lib/protocol/mcp-offers";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { streamEvents, wantsEvents } from "@/lib/server/http/event-stream";
import { translateConfigError } from "./config-errors";
import { findServer } from "./servers";

/** A hand-made call may take as long as one in a run. */
const tryLimitMs = 120_000;
/** Told of one call; a server that sends more of it says nothing new. */
const maxProgress = 1_000;
/** Characters of what a server says of its progress. */
const maxWords = 1_000;

/**
 * Calls a tool by hand; the person asks for it, so no rule applies. As events the answer tells the
 * progress and the messages on the wire before the result. A reader that leaves cancels the call.
 */
export async function tryTool(
  deps: Pick<BaseDeps, "pool" | "log">,
  name: string,
  tool: string,
  args: Record<string, unknown>,
  { request, userId: person }: { request: Request; userId: string },
): Promise<Response | McpTriedCall> {
  // Listed is what can be called: what sleeps is woken, and of what is not connected nothing is known.
  const { status, tools } = findServer(deps, name);
  if (!tools.some((entry) => entry.name === tool))
    throw status === "ready" || status === "sleeping" ? notFound("tool") : notRunning(name);
  const call = (signal: AbortSignal, watch?: CallWatch) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(tryLimitMs)]);
    return translateConfigError(() => deps.pool.call(name, tool, args, limit, { ...watch, person }));
  };
  if (!wantsEvents(request)) return call(request.signal);
  return streamEvents(request.signal, async (to) => {
    const tell = ({ event, data }: McpTryEvent) => to.tell(event, data);
    let told = 0;
    const watch: CallWatch = {
      onProgress: ({ progress, total, message }) => {
        if (!to.hasRoom || ++told > maxProgress) return;
        const data = {
          progress,
          ...(total !== undefined && { total }),
          ...(message && { message: message.slice(0, maxWords) }),
        };
        tell({ event: "progress", data });
      },
      onMessage: (data) => tell({ event: "message", data }),
    };
    try {
      tell({ event: "result", data: await call(to.signal, watch) });
    } catch (cause) {
      if (!(cause instanceof HttpError)) deps.log.error({ err: cause }, "a call by hand failed");
      const { code, message } =
        cause instanceof HttpError
          ? cause
          : { code: "internal", message: "Something went wrong on our side." };
      tell({ event: "failed", data: { code, message } });
    }
  });
}

const notRunning = (name: string) =>
  new HttpError(
    409,
    "server_not_ready",
    `${name} is not running now, so that its tools are not known. Settings → MCP servers says why; start it, then try again.`,
  );
