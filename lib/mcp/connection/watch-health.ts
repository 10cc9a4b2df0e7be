import { httpStatus } from "@/lib/mcp/faults/explain-fault";
import type { Connection } from "./connection";

const everyMs = 30_000;
const afterErrorMs = 250;

/**
 * An HTTP server does not announce its end. Pings it every 30 s and after errors, and marks the connection as closed
 * when the answer is definite: the session is unknown, or nothing listens there. A ping without an answer is not: the
 * server may be busy.
 */
export function watchHealth(connection: Connection): () => void {
  let soon: NodeJS.Timeout | undefined;
  const check = async () => {
    soon = undefined;
    try {
      if (connection.notificationsLost && connection.idle)
        throw new Error("Its messages do not arrive any more.");
      await connection.ping();
    } catch (cause) {
      if (isGone(cause) || (connection.notificationsLost && connection.idle)) connection.markClosed(cause);
    }
  };
  const timer = setInterval(check, everyMs).unref();
  connection.onError = () => {
    soon ??= setTimeout(check, afterErrorMs).unref();
  };
  return () => {
    connection.onError = undefined;
    clearInterval(timer);
    clearTimeout(soon);
  };
}

/** Whether the failure of a request means that the connection is lost. */
export function isGone(cause: unknown): boolean {
  return hasLostSession(cause) || wasRefused(cause) || wasCut(cause);
}

/**
 * The server does not know the session: 404 by the specification, 400 from many servers. The request was not carried
 * out.
 */
export function hasLostSession(cause: unknown): boolean {
  const status = httpStatus(cause);
  return status === 404 || (status === 400 && cause instanceof Error && /session/i.test(cause.message));
}

/** The request reached no server. */
export function wasRefused(cause: unknown): boolean {
  return hasCode(cause, [
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
  ]);
}

/** The connection broke after the request was sent. */
export function wasCut(cause: unknown): boolean {
  return hasCode(cause, ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_DESTROYED", "UND_ERR_CLOSED"]);
}

function hasCode(cause: unknown, codes: readonly string[]): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (codes.includes(String((error as NodeJS.ErrnoException).code))) return true;
  return false;
}
