import type { Dispatcher } from "undici";
import type { WireExchange, WireRecorder, WireRequest } from "@/lib/agent/ports";

type Sender = Pick<Dispatcher, "dispatch">;

/** What an adapter says of the server that it speaks to. */
interface Secrets {
  secrets?: readonly string[];
  /** Names, in lower case, of headers that somebody has entered. */
  ownHeaders?: readonly string[];
}

/** The same connections, of which a recorder is told what goes over them. */
export const recordedDispatcher = (to: Sender, recorder: WireRecorder, secrets: Secrets): Sender => ({
  dispatch(options, handler) {
    const exchange = begin(recorder, options, secrets);
    if (!exchange) return to.dispatch(options, handler);
    try {
      return to.dispatch(options, new Recorded(handler, exchange));
    } catch (cause) {
      exchange.ended(cause as Error);
      throw cause;
    }
  },
});

/** By the signal that ends its requests, what a turn of an SDK is recorded with: the signal alone reaches `fetch`. */
const recorded = new WeakMap<AbortSignal, { recorder: WireRecorder; secrets: Secrets }>();

/** Requests that this signal ends are those of a turn that is recorded. */
export function recordRequestsOf(signal: AbortSignal, recorder: WireRecorder, secrets: Secrets): void {
  recorded.set(signal, { recorder, secrets });
}

/** A `fetch` over these connections that records what is to be recorded. */
export function recordedFetch(
  dispatcher: Dispatcher,
  open: (sender: Sender) => typeof globalThis.fetch,
): typeof globalThis.fetch {
  const plain = open(dispatcher);
  return (input, init) => {
    const found = init?.signal && recorded.get(init.signal);
    if (!found) return plain(input, init);
    return open(recordedDispatcher(dispatcher, found.recorder, found.secrets))(input, init);
  };
}

/** Header fields of requests whose values are no secret, unless somebody has entered them; of parameters in addresses the same. */
const shownHeaders = new Set([
  "accept",
  "accept-encoding",
  "anthropic-beta",
  "anthropic-version",
  "content-type",
  "user-agent",
]);
const shownParameters = new Set(["alt", "api-version", "beta"]);
/** Of answers, whose headers are the server's own. */
const hiddenInAnswers = /^set-cookie2?$|authorization|api-?key|secret|(^|-)token$/i;

/** What stands in place of a key. */
export const removed = "[removed]";

type Headers = Dispatcher.DispatchOptions["headers"];

/** Undefined where the request cannot be told: it is sent all the same. */
function begin(
  recorder: WireRecorder,
  options: Dispatcher.DispatchOptions,
  secrets: Secrets,
): WireExchange | undefined {
  try {
    return recorder.begin(toRequest(options, secrets));
  } catch {
    return undefined;
  }
}

function toRequest(
  { origin = "", path, method, headers, body }: Dispatcher.DispatchOptions,
  { secrets = [], ownHeaders = [] }: Secrets,
): WireRequest {
  const hidden: string[] = [];
  const told = new Map<string, string>();
  for (const [name, value] of pairsOf(headers)) {
    const isOwn = ownHeaders.includes(name);
    const isShown = shownHeaders.has(name) && !isOwn;
    if (!isShown) hidden.push(...partsOf(value), ...(isOwn ? keysIn(value) : []));
    const before = told.has(name) ? `${told.get(name)}, ` : "";
    told.set(name, isShown ? `${before}${value}` : removed);
  }
  // Not `new URL(path, origin)`: a path that begins with "//" would name a host.
  const url = new URL(`${String(origin).replace(/\/$/, "")}${path}`);
  for (const name of new Set(url.searchParams.keys()))
    if (!shownParameters.has(name)) {
      hidden.push(...url.searchParams.getAll(name));
      url.searchParams.set(name, removed);
    }
  return {
    method,
    url: url.href,
    headers: Object.fromEntries(told),
    body: typeof body === "string" || body instanceof Uint8Array ? body : null,
    secrets: [...new Set([...secrets, ...hidden])],
  };
}

/** Each value with its name in lower case, in whichever form a sender gives them. */
function* pairsOf(headers: Headers): Generator<[name: string, value: string]> {
  for (const [name, value] of entriesOf(headers))
    for (const each of [value].flat()) if (each !== undefined) yield [name.toLowerCase(), String(each)];
}

type Entry = readonly [name: string, value: string | number | readonly string[] | undefined];

function* entriesOf(headers: Headers): Generator<Entry> {
  if (!headers) return;
  if (Array.isArray(headers))
    for (let at = 0; at + 1 < headers.length; at += 2) yield [String(headers[at]), headers[at + 1]];
  else if (isIterable(headers)) yield* headers;
  else yield* Object.entries(headers);
}

const isIterable = (headers: object): headers is Iterable<Entry> => Symbol.iterator in headers;

/** A value and, where it begins with a scheme (`Bearer`), what follows; of `Basic` also what that stands for. */
function partsOf(value: string): string[] {
  const [, scheme = "", credentials] = /^([\w-]+) +(\S+)$/.exec(value) ?? [];
  if (credentials === undefined) return [value];
  if (scheme.toLowerCase() !== "basic") return [value, credentials];
  const pair = Buffer.from(credentials, "base64").toString();
  return [value, credentials, pair, pair.slice(pair.indexOf(":") + 1)];
}

/** What may be a key among other words (`Token key="…", realm=…`): a server may tell it without them. */
const keysIn = (value: string): string[] =>
  value.split(/[\s,;="]+/).filter((part) => part.length >= shortestKey && /\d/.test(part));

const shortestKey = 12;

/** Hands on what the connection tells, and tells the recorder. */
class Recorded implements Dispatcher.DispatchHandler {
  constructor(
    private readonly handler: Dispatcher.DispatchHandler,
    private readonly exchange: WireExchange,
  ) {}

  onRequestStart(control: Dispatcher.DispatchController, context: unknown): void {
    this.handler.onRequestStart?.(control, context);
  }

  onResponseStart(
    control: Dispatcher.DispatchController,
    status: number,
    headers: Dispatcher.ResponseData["headers"],
    said?: string,
  ): void {
    if (status >= 200) this.exchange.answered(status, shownOf(headers));
    this.handler.onResponseStart?.(control, status, headers, said);
  }

  onResponseData(control: Dispatcher.DispatchController, bytes: Buffer): void {
    this.exchange.received(bytes);
    this.handler.onResponseData?.(control, bytes);
  }

  onResponseEnd(control: Dispatcher.DispatchController, trailers: Dispatcher.ResponseData["headers"]): void {
    this.exchange.ended();
    this.handler.onResponseEnd?.(control, trailers);
  }

  onResponseError(control: Dispatcher.DispatchController, cause: Error): void {
    this.exchange.ended(cause);
    this.handler.onResponseError?.(control, cause);
  }
}

function shownOf(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) shown[name] = hiddenInAnswers.test(name) ? removed : String(value);
  return shown;
}
