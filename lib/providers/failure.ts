import { APICallError, InvalidResponseDataError } from "@ai-sdk/provider";
import { ProviderError } from "@/lib/agent/ports";

/** What a message about a failure may name, so that a person knows what to change. */
export interface Endpoint {
  /** How people call the provider. */
  label: string;
  baseURL: string;
  /** Name of the model without the provider. */
  model: string;
  keyVariable?: string;
  addressVariable: string;
  /** Taken out of whatever the provider says. */
  secret?: string;
}

type Code = ProviderError["code"];

interface Fault {
  status: number | undefined;
  /** What the provider itself said, if it said anything. */
  said: string;
  headers: Record<string, string>;
  body: string;
}

/** Turns whatever a request or a stream threw into an error with a code and a sentence that says what to do. */
export function toProviderError(error: unknown, endpoint: Endpoint): ProviderError {
  if (error instanceof ProviderError) return error;
  if (InvalidResponseDataError.isInstance(error) && /finish reason/.test(error.message))
    return cutShort(endpoint, error);
  const fault = readFault(error);
  if (fault.status === undefined) {
    const network = networkFailure(error, endpoint);
    if (network) return network;
  }
  const code = classify(fault);
  const retryAfterMs = code === "rate_limited" || code === "unavailable" ? retryAfter(fault) : undefined;
  return new ProviderError(code, sentence(code, fault, endpoint), {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The same for a request that asked for the models. */
export function toListError(error: unknown, endpoint: Endpoint): ProviderError {
  const notJson = error instanceof SyntaxError || (error instanceof Error && error.name === "ZodError");
  if (notJson || (APICallError.isInstance(error) && error.statusCode === 404))
    return new ProviderError(
      "bad_response",
      `${shownAddress(endpoint.baseURL)} gave no list of models. Check ${endpoint.addressVariable}; most servers want it to end in /v1.`,
      { cause: error },
    );
  return toProviderError(error, endpoint);
}

/** The stream ended, or its connection broke, before the model had said that it is done. */
export function cutShort(endpoint: Endpoint, cause?: unknown): ProviderError {
  return new ProviderError(
    "unavailable",
    `The connection to ${endpoint.label} broke before the answer was complete. Try again.`,
    { cause },
  );
}

function classify({ status, said, body }: Fault): Code {
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

function sentence(code: Code, fault: Fault, endpoint: Endpoint): string {
  const { label, model } = endpoint;
  const quote = quoted(fault.said, endpoint);
  switch (code) {
    case "auth":
      return endpoint.keyVariable
        ? `${label} did not accept the key (${fault.status ?? "refused"}). Check ${endpoint.keyVariable} and start again.`
        : `${label} at ${shownAddress(endpoint.baseURL)} asks for a key (${fault.status ?? "refused"}).`;
    case "rate_limited":
      return `${label} takes no more requests for now (rate limit or quota).${quote}`;
    case "context_overflow":
      return `The conversation is longer than ${model} can read. Start a new one, or pick a model with a larger context.${quote}`;
    case "timeout":
      return `${label} did not answer in time. Try again.${quote}`;
    case "unavailable":
      return `${label} has a problem of its own${fault.status ? ` (${fault.status})` : ""}. Try again in a moment.${quote}`;
    case "bad_response":
      return fault.status === 404
        ? `${label} at ${shownAddress(endpoint.baseURL)} has no model ${model}, or the address is wrong. Pick another model, or check ${endpoint.addressVariable}.${quote}`
        : `${label} could not answer${fault.status ? ` (${fault.status})` : ""}.${quote || " Try again, or pick another model."}`;
  }
}

const timedOut = new Set([
  "ETIMEDOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function networkFailure(error: unknown, endpoint: Endpoint): ProviderError | undefined {
  const codes = causes(error).flatMap((cause) => ("code" in cause ? String(cause.code) : []));
  if (codes.some((code) => unreachable.has(code)))
    return new ProviderError("unavailable", unreachableSentence(endpoint), { cause: error });
  if (codes.some((code) => timedOut.has(code)) || causes(error).some(({ name }) => name === "TimeoutError"))
    return new ProviderError("timeout", `${endpoint.label} did not answer in time. Try again.`, {
      cause: error,
    });
  const broken =
    codes.some((code) => code.startsWith("UND_ERR") || code === "ECONNRESET" || code === "EPIPE") ||
    causes(error).some((cause) => cause.message === "terminated" || cause.message === "fetch failed");
  return broken ? cutShort(endpoint, error) : undefined;
}

/** Says that nothing answers at the address, and which variable holds it. */
export function unreachableSentence(
  endpoint: Pick<Endpoint, "label" | "baseURL" | "addressVariable">,
): string {
  return `Nothing answers at ${shownAddress(endpoint.baseURL)}. Check that ${endpoint.label} is running and that ${endpoint.addressVariable} is right.`;
}

/** An address without user name, password and query, which may hold secrets. */
export function shownAddress(baseURL: string): string {
  const url = URL.parse(baseURL);
  return url ? `${url.origin}${url.pathname.replace(/\/$/, "")}` : "the configured address";
}

function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 8; at = at.cause) found.push(at);
  return found;
}

function readFault(error: unknown): Fault {
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

function quoted(said: string, { secret }: Endpoint): string {
  const clean = secret ? said.replaceAll(secret, "…") : said;
  const line = clean
    .replace(/\/\/[^\s/@]+@/g, "//…@")
    .replace(/\s+/g, " ")
    .trim();
  return line ? ` It said: ${line.length > 300 ? `${line.slice(0, 300)}…` : line}` : "";
}

const hour = 3_600_000;

function retryAfter({ headers, body }: Fault): number | undefined {
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
