import type { Dispatcher } from "undici";
import { LeanExchange, type LeanOptions, type SentBody } from "./lean-exchange";

/**
 * `fetch` as far as SDK clients need it, at a third of the CPU time: what the Fetch standard requires of a browser
 * (redirects, decompression, CORS, cloned bodies) is left out. What one read of the socket returns is delivered as one
 * chunk, however many HTTP chunks it has. Asks for uncompressed answers and fails for a compressed one: what is never
 * decompressed cannot fill the memory. Fails as `fetch` does: `TypeError` "fetch failed" or "terminated" with the cause,
 * or the signal's reason.
 */
export function leanFetch(dispatcher: Pick<Dispatcher, "dispatch">, more: LeanOptions = {}): typeof fetch {
  return async (input, init: RequestInit = {}) => {
    const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
    init.signal?.throwIfAborted();
    const options = {
      origin,
      path: `${pathname}${search}`,
      method: (init.method ?? "GET") as Dispatcher.HttpMethod,
      headers: toRecord(init.headers),
      body: toBody(init.body),
    };
    const exchange = new LeanExchange(options.body, init.signal ?? undefined, more);
    try {
      dispatcher.dispatch(options, exchange);
    } catch (cause) {
      exchange.fail(cause);
    }
    return exchange.response;
  };
}

/** SDK clients mostly pass a plain object; creating a `Headers` only to read it costs more than the request. */
function toRecord(headers: RequestInit["headers"] = {}): Record<string, string> {
  const isList = headers instanceof Headers || Array.isArray(headers);
  const record = isList ? Object.fromEntries(headers) : (headers as Record<string, string>);
  // Without the header a server may choose any compression (RFC 9110, 12.5.3).
  return { ...record, "accept-encoding": "identity" };
}

function toBody(body: RequestInit["body"]): SentBody {
  if (body === null || body === undefined) return null;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("leanFetch sends text, bytes and form fields only.");
}
