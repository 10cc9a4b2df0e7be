import { ReadableStream } from "node:stream/web";
import { constants } from "node:zlib";
import compression from "compression";

/**
 * Headers that `node:http` or `compression` set. One from the route may not fit the body that is sent, and the rest would be
 * read as the next answer.
 */
const ownFraming = new Set(["set-cookie", "content-length", "transfer-encoding", "content-encoding"]);
/** 256 KB for each answer that is being read, in place of 4 MB. */
const brotli = { params: { [constants.BROTLI_PARAM_LGWIN]: 18 } };
/** An event that comes by then goes out with the headers: most calls of programs are answered in one packet. */
const HEADERS_WAIT_MS = 10;

/**
 * Answers the requests to the API itself (`runtime.findRoute`: by method and address, the handler of a route) without
 * Next.js, whose own work for a request is more than that of most routes, and which would load them a second time; all
 * others go to `handle`. The handler is the same, and so is what a client gets.
 */
export function withDirectRoutes(handle, runtime) {
  const compress = compression({ brotli });
  return async (request, response) => {
    const finding = runtime()?.findRoute(request.method, request.url);
    if (!finding) return handle(request, response);
    const gone = signalOf(request, response);
    const route = await finding;
    if (!route) return handle(request, response);
    await send(await route.answer(toRequest(request, gone)), route.headers, {
      request,
      response,
      gone,
      compress,
    });
  };
}

/** Aborted when the client goes before it has the answer. */
function signalOf(request, response) {
  const gone = new AbortController();
  // Who goes away in the middle ends the request, and not this process.
  request.on("error", () => {});
  response.on("error", () => {});
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function toRequest(request, signal) {
  const hasBody = request.method !== "GET";
  // Node.js and the browser have a type for it each.
  const body = hasBody && /** @type {any} */ (ReadableStream.from(request));
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method,
    headers: request.headers,
    signal,
    ...(body && { body, duplex: "half" }),
  });
}

async function send(answer, headers, { request, response, gone, compress }) {
  if (gone.aborted) return answer.body?.cancel();
  response.statusCode = answer.status;
  for (const { key, value } of headers) response.setHeader(key, value);
  for (const [name, value] of answer.headers)
    if (!ownFraming.has(name) && !response.hasHeader(name)) response.setHeader(name, value);
  for (const cookie of answer.headers.getSetCookie()) response.appendHeader("set-cookie", cookie);
  if (!answer.body) return response.end();
  const isEvents = answer.headers.get("content-type")?.startsWith("text/event-stream");
  const isPacked = !isEvents && !answer.headers.get("cache-control")?.includes("no-transform");
  if (isPacked) compress(request, response, () => {});
  if (typeof answer.whole === "string") return response.end(answer.whole);
  // What is in an event is to be seen now, and not when there is enough of it to be packed; that there will be some, soon.
  const headersOut = isEvents && setTimeout(() => response.flushHeaders(), HEADERS_WAIT_MS);
  const reader = answer.body.getReader();
  let goOn = () => {};
  // One for all waits: where the answer is packed, `compression` hands listeners to the packer and takes none of them back.
  response.on("drain", () => goOn());
  const leave = () => {
    reader.cancel(gone.reason).catch(() => {});
    goOn();
  };
  gone.addEventListener("abort", leave, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (gone.aborted) return;
      if (done) break;
      if (!response.write(value))
        await new Promise((resolve) => {
          goOn = () => resolve(undefined);
        });
    }
    response.end();
  } catch (cause) {
    // Who has gone needs no more of it; all else is for the log.
    if (gone.aborted) return;
    response.destroy();
    throw cause;
  } finally {
    clearTimeout(headersOut || undefined);
    gone.removeEventListener("abort", leave);
  }
}
