import { APICallError } from "@ai-sdk/provider";
import type { ProviderError } from "@/lib/agent/ports";

export type Code = ProviderError["code"];

/** What a provider's error says, wherever it stood: in an HTTP answer or in the middle of a stream. */
export interface Fault {
  status: number | undefined;
  /** What the provider itself said, if it said anything. */
  said: string;
  headers: Record<string, string>;
  body: string;
}

export function readFault(error: unknown): Fault {
  const record = isRecord(error) ? error : {};
  const code = Number(record.statusCode ?? record.code);
  const body = APICallError.isInstance(error) ? (error.responseBody ?? "").slice(0, 8_000) : "";
  return {
    status: code >= 400 && code < 600 ? code : undefined,
    said: saidIn(body) ?? (typeof record.message === "string" ? record.message : ""),
    headers: APICallError.isInstance(error) ? (error.responseHeaders ?? {}) : {},
    body: body || JSON.stringify(record.data ?? record.type ?? "").slice(0, 8_000),
  };
}

/** The sentence in an error body: `{error: {message}}`, or what smaller servers send. */
function saidIn(body: string): string | undefined {
  if (!body) return undefined;
  try {
    const parsed: unknown = JSON.parse(body);
    const outer = isRecord(Array.isArray(parsed) ? parsed[0] : parsed)
      ? Array.isArray(parsed)
        ? parsed[0]
        : parsed
      : {};
    const inner = isRecord(outer.error) ? outer.error : outer;
    const said = inner.message ?? outer.error ?? outer.detail;
    return typeof said === "string" ? said : undefined;
  } catch {
    return undefined;
  }
}

export function classify({ status, said, body }: Fault): Code {
  const text = `${said} ${body}`;
  if (
    status === 401 ||
    status === 403 ||
    /api[_ ]key[_ ](not[_ ]valid|invalid)|invalid[_ ]api[_ ]key/i.test(text)
  )
    return "auth";
  if (status === 429 || (!status && /resource_exhausted|rate.?limit|quota/i.test(text)))
    return "rate_limited";
  if ((!status || status < 500) && overflow.test(text)) return "context_overflow";
  if (status === 408 || status === 504) return "timeout";
  if ((status && status >= 500) || (!status && /overloaded|unavailable|internal/i.test(text)))
    return "unavailable";
  return "bad_response";
}

const overflow =
  /context.{0,20}(length|window|size)|maximum context|input token count|too many (input )?tokens|prompt is too long|exceeds? the (available|maximum) (context|number of tokens)/i;

const hour = 3_600_000;

/** How long to wait before asking again, in ms, at most an hour. */
export function retryAfter({ headers, body }: Fault): number | undefined {
  const inMs = Number(headers["retry-after-ms"] ?? Number.NaN);
  const header = headers["retry-after"] ?? "";
  const inSeconds = header
    ? Number(header)
    : Number(/"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1] ?? Number.NaN);
  const wait = [inMs, inSeconds * 1000, Date.parse(header) - Date.now()].find((ms) => Number.isFinite(ms));
  return wait === undefined ? undefined : Math.min(Math.max(Math.round(wait), 0), hour);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
