import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Progress } from "./connection";
import type { LogRing } from "./log-ring";

/**
 * Looks at every message of a connected transport: notes it in the log, and hands progress over at once. (The SDK
 * defers notifications but not answers, so that progress in one piece with its answer would come too late.)
 */
export function tapTransport(
  transport: Transport,
  log: LogRing,
  onProgress: (token: string, progress: Progress) => void,
): void {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if ("method" in message && message.method === "notifications/progress") {
      const { progressToken, ...progress } = message.params ?? {};
      if (typeof progress.progress === "number")
        onProgress(String(progressToken), { ...progress, progress: progress.progress });
      return;
    }
    log.add("protocol", `← ${summarize(message)}`);
    deliver?.(message, extra);
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    log.add("protocol", `→ ${summarize(message)}`);
    return send(message, options);
  };
}

/** Without arguments and contents: those stand in the run. */
function summarize(message: JSONRPCMessage): string {
  if ("method" in message) {
    if (message.method === "notifications/message") return `log: ${JSON.stringify(message.params ?? {})}`;
    const tool = message.method === "tools/call" ? ` ${String(message.params?.name)}` : "";
    return "id" in message ? `${message.method}${tool} #${message.id}` : message.method;
  }
  if ("error" in message) return `error #${message.id} ${message.error.code} ${message.error.message}`;
  return `result #${message.id}`;
}
