import { APICallError, InvalidResponseDataError } from "@ai-sdk/provider";
import { ProviderError } from "@/lib/agent/ports";
import { type Code, classify, type Fault, readFault, retryAfter } from "./fault";

/** What a message about a failure may name, so that a person knows what to change. */
export interface Endpoint {
  /** How people call the provider. */
  label: string;
  baseURL: string;
  /** Name of the model without the provider. */
  model: string;
  keyVariable?: string;
  addressVariable: string;
  /** Whether a key is sent; only asked where there is no `keyVariable`. */
  hasKey?: boolean;
  /** Removed from everything that the provider says. */
  secrets?: readonly string[];
  /** Names, in lower case, of headers that somebody has entered: their values are shown nowhere. */
  ownHeaders?: readonly string[];
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
  return new ProviderError(code, failureInWords(code, fault, endpoint), {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The same for a request that asked for the models. */
export function toListError(error: unknown, endpoint: Endpoint): ProviderError {
  if (error instanceof Error && error.name === "TooLargeError")
    return new ProviderError(
      "bad_response",
      `The list of models of ${labelInWords(endpoint.label)} is too large to be read. Check ${endpoint.addressVariable}.`,
      { cause: error },
    );
  if (error instanceof Error && error.name === "UnendingError")
    return new ProviderError(
      "timeout",
      `The list of models of ${labelInWords(endpoint.label)} did not come to its end in time. Check ${endpoint.addressVariable}.`,
      { cause: error },
    );
  if (hasNoList(error)) {
    const { baseURL, addressVariable } = endpoint;
    return new ProviderError(
      "bad_response",
      hasVersion(baseURL)
        ? `${shownAddress(baseURL)} gave no list of models. Check ${addressVariable}.`
        : `${shownAddress(baseURL)} gave no list of models. Check ${addressVariable}; most servers want it to end in /v1.`,
      { cause: error },
    );
  }
  return toProviderError(error, endpoint);
}

/** The server answered a request for its models with something else; many that serve one model do. */
export const hasNoList = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  (error instanceof Error && error.name === "ZodError") ||
  (APICallError.isInstance(error) && error.statusCode === 404);

/** Whether an address names a version of the protocol, as most have to. */
export const hasVersion = (baseURL: string): boolean => /\/v\d/.test(baseURL);

/** The stream ended, or its connection broke, before the model had said that it is done. */
export function cutShort(endpoint: Endpoint, cause?: unknown): ProviderError {
  return new ProviderError(
    "unavailable",
    `The connection to ${labelInWords(endpoint.label)} broke before the answer was complete. Try again.`,
    { cause },
  );
}

function failureInWords(code: Code, fault: Fault, endpoint: Endpoint): string {
  const { label, model } = endpoint;
  const said = quoted(fault.said, endpoint);
  const quoting = (what: string) => (said ? `${what} It said: ${said}` : what);
  switch (code) {
    case "auth":
      return keyInWords(fault, endpoint, said);
    case "rate_limited":
      return quoting(`The rate limit or quota of ${labelInWords(label)} has been reached.`);
    case "context_overflow":
      return quoting(
        `The conversation is longer than the context of ${model}. Start a new one, or pick a model with a larger context.`,
      );
    case "timeout":
      return quoting(`${label} did not answer in time. Try again.`);
    case "unavailable":
      return quoting(
        fault.status
          ? `${label} had a server error (${fault.status}). Try again in a moment.`
          : `${label} had a server error. Try again in a moment.`,
      );
    case "bad_response":
      return refusalInWords(fault, endpoint, said);
  }
}

// Below, the provider's own words are part of the same text: a translation could not tell where a hole before them ends.

function keyInWords(fault: Fault, endpoint: Endpoint, said: string): string {
  const { label, keyVariable, hasKey } = endpoint;
  const status = fault.status ?? "refused";
  const address = shownAddress(endpoint.baseURL);
  if (keyVariable)
    return said
      ? `${label} did not accept the key (${status}). Check the key in Settings → Models, or ${keyVariable} where it is set. It said: ${said}`
      : `${label} did not accept the key (${status}). Check the key in Settings → Models, or ${keyVariable} where it is set.`;
  if (hasKey)
    return said
      ? `${label} did not accept the key (${status}). Check the key in Settings → Models. It said: ${said}`
      : `${label} did not accept the key (${status}). Check the key in Settings → Models.`;
  return said
    ? `${label} at ${address} asks for a key (${status}). It said: ${said}`
    : `${label} at ${address} asks for a key (${status}).`;
}

function refusalInWords({ status }: Fault, endpoint: Endpoint, said: string): string {
  const { label, model, addressVariable } = endpoint;
  const address = shownAddress(endpoint.baseURL);
  if (status === 404)
    return said
      ? `${label} at ${address} has no model ${model}, or the address is wrong. Pick another model, or check ${addressVariable}. It said: ${said}`
      : `${label} at ${address} has no model ${model}, or the address is wrong. Pick another model, or check ${addressVariable}.`;
  if (said)
    return status
      ? `${label} could not answer (${status}). It said: ${said}`
      : `${label} could not answer. It said: ${said}`;
  return status
    ? `${label} could not answer (${status}). Try again, or pick another model.`
    : `${label} could not answer. Try again, or pick another model.`;
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
  // The guard of addresses refused to connect; by name, as it is none of this room.
  const forbidden = causes(error).find(({ name }) => name === "ForbiddenAddressError");
  if (forbidden)
    return new ProviderError(
      "bad_response",
      `${forbidden.message} An address that is saved in Settings → Models may be reached as well.`,
      { cause: error },
    );
  const codes = causes(error).flatMap((cause) => ("code" in cause ? String(cause.code) : []));
  const isRefusedPort = causes(error).some(({ message }) => message === "bad port");
  if (isRefusedPort || codes.some((code) => unreachable.has(code)))
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
  return `Nothing answers at ${shownAddress(endpoint.baseURL)}. Check that ${labelInWords(endpoint.label)} is running and that ${endpoint.addressVariable} is right.`;
}

/** A label inside a sentence. */
export const labelInWords = (label: string): string =>
  label === "The model server" ? "the model server" : label;

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

/** What the provider itself said with a failure, fit to be shown; empty when it said nothing. */
export const whatWasSaid = (error: unknown, endpoint: Endpoint): string =>
  quoted(readFault(error).said, endpoint);

function quoted(said: string, { secrets = [] }: Endpoint): string {
  const clean = secrets.reduce((text, secret) => (secret ? text.replaceAll(secret, "…") : text), said);
  const line = clean
    .replace(/\/\/[^\s/@]+@/g, "//…@")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length > 300) return `${line.slice(0, 300)}…`;
  return endsOpen.test(line) ? `${line}.` : line;
}

/** Ends on a letter or a number: what Meguri says next would read as part of it. */
const endsOpen = /[\p{L}\p{N}]$/u;
