import { Agent, type Dispatcher } from "undici";
import { ForbiddenAddressError, guardConnector } from "@/lib/mcp/transport/guarded-fetch";
import { version } from "@/lib/server/version";
import type { Attempt } from "@/lib/store/hook-ports";

/** From the first byte to the last one that is read. */
const longestMs = 10_000;
/** Of an answer, whose rest is not read. */
const maxBytes = 2_048;
/** What is kept of it. */
const maxText = 200;

interface Reached {
  /** `host:port`. */
  allowed: readonly string[];
  /** Who reads how an attempt has ended is not to learn which addresses names have in our own network. */
  isDiscreet: boolean;
}

/** Connections to public addresses, and to those that are allowed. Each is checked when it is made, as for MCP servers. */
export class HookNetwork {
  private readonly agent: Dispatcher;

  constructor(
    private readonly reached: Reached,
    private readonly timeoutMs = longestMs,
  ) {
    this.agent = new Agent({
      connect: guardConnector(reached),
      // An address that resolved to something else before is looked up again.
      keepAliveTimeout: 1_000,
      headersTimeout: longestMs,
      bodyTimeout: longestMs,
      maxHeaderSize: 16_384,
    });
  }

  /** Sends once and never rejects; a redirect is an answer like any other. */
  async post(url: string, body: string, headers: Record<string, string>): Promise<Attempt> {
    const at = Date.now();
    const began = performance.now();
    const end = (told: Partial<Attempt>): Attempt => ({
      ...{ at, status: null, error: null, text: "", ...told },
      tookMs: Math.round(performance.now() - began),
    });
    const { origin, pathname, search } = new URL(url);
    try {
      const answer = await this.agent.request({
        ...{ origin, path: `${pathname}${search}`, method: "POST", body },
        headers: {
          "content-type": "application/json",
          "user-agent": `Meguri/${version}`,
          "accept-encoding": "identity",
          ...headers,
        },
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const { statusCode: status } = answer;
      const text = await readStart(answer.body);
      if (status >= 200 && status < 300) return end({ status });
      return end({ status, text, error: status >= 300 && status < 400 ? "redirect" : null });
    } catch (cause) {
      const fault = faultOf(cause);
      return end(fault.error === "refused" && this.reached.isDiscreet ? { error: "refused" } : fault);
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

/** As much as tells what is wrong; the connection is closed where more would come. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // The status has come, and counts.
  }
  const text = Buffer.concat(pieces).subarray(0, maxBytes).toString("utf8");
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim());
}

/** Without half a character at the end. */
const cut = (text: string): string => [...text.slice(0, maxText)].join("").toWellFormed();

function faultOf(cause: unknown): Partial<Attempt> {
  for (let each = cause; each instanceof Error; each = each.cause) {
    if (each instanceof ForbiddenAddressError) return { error: "refused", text: cut(each.message) };
    if (each.name === "TimeoutError" || isTimeout(each)) return { error: "timeout" };
  }
  return { error: "unreachable", text: codeOf(cause) };
}

/** As `ECONNREFUSED`: what is wrong with the name, the port or the certificate. */
function codeOf(cause: unknown): string {
  for (let each = cause; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string") return cut(each.code);
  return "";
}

const isTimeout = (cause: Error): boolean =>
  "code" in cause && typeof cause.code === "string" && /TIMEOUT|ETIMEDOUT/.test(cause.code);
