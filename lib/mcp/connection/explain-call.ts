import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { httpStatus } from "@/lib/mcp/faults/explain-fault";
import { isNotHeld } from "@/lib/mcp/transport/held-calls";
import type { Exit } from "@/lib/mcp/transport/stdio-transport";
import { hasLostSession, wasCut, wasRefused } from "./watch-health";

export interface BrokenCall {
  /** `refused`: the call never ran. `answered`: the server refused it. `cut`: it was sent, and its outcome is not known. */
  kind: "refused" | "answered" | "cut";
  message: string;
}

/** What the failure of a call means for the call; `exit` is how the server's process ended, if it has. */
export function explainCall(cause: unknown, server: string, exit?: Exit): BrokenCall {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof ProtocolError)
    return {
      kind: "answered",
      message: `The server answered with an error: ${message} (code ${cause.code}).`,
    };
  if (isNotHeld(cause))
    return { kind: "refused", message: "Not run: another instance may have taken over this answer." };
  const status = httpStatus(cause);
  if (hasLostSession(cause))
    return {
      kind: "refused",
      message: `Not run: ${server} no longer knows the session. It is being connected again.`,
    };
  if (status !== undefined && status !== 502 && status !== 504)
    return { kind: "answered", message: `The server answered with HTTP ${status}: ${message.slice(0, 500)}` };
  if (wasRefused(cause)) return { kind: "refused", message: `Not run: ${server} cannot be reached.` };
  const sdkCode = cause instanceof SdkError ? cause.code : undefined;
  if (sdkCode === SdkErrorCode.NotConnected)
    return { kind: "refused", message: `Not run: ${server} is not connected.` };
  if (sdkCode === SdkErrorCode.UnsupportedResultType)
    return {
      kind: "answered",
      message: "The tool asks for input or another kind of answer that is not supported yet.",
    };
  if (sdkCode === SdkErrorCode.InvalidResult)
    return {
      kind: "answered",
      message: `The server's answer is not a tool result: ${message.slice(0, 500)}`,
    };
  if (exit)
    return {
      kind: "cut",
      message: exit.signal
        ? `${server} ended by ${exit.signal} while the call was on its way.`
        : `${server} ended with exit code ${exit.code} while the call was on its way.`,
    };
  // "fetch failed" says nothing; its cause does.
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : message;
  const saysAll = wasCut(cause) || sdkCode === SdkErrorCode.ConnectionClosed;
  return {
    kind: "cut",
    message: saysAll
      ? `The connection to ${server} broke while the call was on its way.`
      : `The connection to ${server} broke while the call was on its way (${reason.slice(0, 300)}).`,
  };
}
