import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { hideTokensIn } from "@/lib/mcp/transport/hide-tokens";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { countParts } from "@/lib/protocol/count-parts";
import type { CallListener } from "./asking-calls";
import { Exchanges } from "./exchanges";

const progressSchema = z.object({
  progressToken: z.union([z.string(), z.number()]),
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

const logSchema = z.object({ level: z.string(), logger: z.string().optional(), data: z.unknown() });

type Listener = Pick<CallListener, "onProgress" | "onMessage" | "onLog">;

/** The calls in flight, by progress token. */
interface TappedCalls {
  listener(token: string): Listener | undefined;
  /** Of the call that a message is about which does not name one. */
  about(params: unknown): Listener | undefined;
  /** Its answer will not come. */
  cut(token: string): void;
}

/**
 * Sees every message of a connected transport: logs it, tells the listener of its call, and delivers progress at once.
 * (The SDK defers notifications but not answers, so that progress in one chunk with its answer would arrive too late.)
 */
export function tapTransport(
  transport: Transport,
  log: LogRing,
  calls: TappedCalls,
  /** What the server must not disclose. */
  secrets: () => readonly string[] = () => [],
): void {
  const deliver = transport.onmessage;
  const exchanges = new Exchanges(
    (token) => calls.listener(token)?.onMessage,
    (token) => calls.cut(token),
  );
  const take: NonNullable<Transport["onmessage"]> = (message, extra) => {
    hideTokensIn(message, secrets());
    if ("method" in message && message.method === "notifications/progress") {
      const read = progressSchema.safeParse(message.params);
      if (read.success) calls.listener(String(read.data.progressToken))?.onProgress(read.data);
      else log.add("protocol", "Progress that is not as it should be, passed over.");
      return;
    }
    log.add("protocol", `← ${summarize(message)}`);
    exchanges.received(message);
    // Past the SDK, whose validation is what a flood of them costs most.
    if ("method" in message && message.method === "notifications/message") {
      const listener = calls.about(message.params);
      const read = listener?.onLog && logSchema.safeParse(message.params);
      if (read?.success) listener?.onLog?.(read.data);
      return;
    }
    deliver?.(withoutTask(message), extra);
  };
  transport.onmessage = (message, extra) => {
    try {
      take(message, extra);
    } catch (cause) {
      log.add("protocol", `A message could not be dealt with: ${cause}`);
    }
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    log.add("protocol", `→ ${summarize(message)}`);
    try {
      await send(message, exchanges.sent(message, options));
    } catch (cause) {
      exchanges.failed(message);
      throw cause;
    }
  };
}

/** Where the id of a task is put in the answer to a call that has become one. */
export const taskKey = "meguri/task";

/** The SDK refuses the answer by which a call becomes a task (SEP-2663); it is passed on as a result without content. */
function withoutTask(message: JSONRPCMessage): JSONRPCMessage {
  if (!("result" in message)) return message;
  const { resultType, taskId } = message.result as { resultType?: unknown; taskId?: unknown };
  if (resultType !== "task" || typeof taskId !== "string") return message;
  return { ...message, result: { resultType: "complete", content: [], _meta: { [taskKey]: taskId } } };
}

/** Without arguments and contents, which are in the log of the run. */
function summarize(message: JSONRPCMessage): string {
  if ("method" in message) {
    if (message.method === "notifications/message") return `log: ${shorten(message.params)}`;
    const name = message.method === "tools/call" && message.params?.name;
    const tool = typeof name === "string" ? ` ${name}` : "";
    return "id" in message ? `${message.method}${tool} #${message.id}` : message.method;
  }
  if ("error" in message) return `error #${message.id} ${message.error.code} ${message.error.message}`;
  return `result #${message.id}`;
}

function shorten(params: unknown): string {
  const isShown = countParts(params, 20, 1_000) !== undefined;
  return isShown ? JSON.stringify(params ?? {}) : "(nested too deep, or too much, to be shown)";
}
