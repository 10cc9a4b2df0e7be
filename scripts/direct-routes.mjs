import { ReadableStream } from "node:stream/web";

/**
 * Answers the requests that the application takes itself (`runtime.routes`: by method and address, the handlers of their
 * routes) without Next.js, whose own work for a request is more than that of the route; all others go to `handle`. The
 * handler is the same, and so is what a client gets.
 */
export function withDirectRoutes(handle, runtime) {
  return (request, response) => {
    const known = runtime();
    const handler = known?.routes.get(`${request.method} ${request.url}`);
    return handler ? answer(request, response, handler, known.headers) : handle(request, response);
  };
}

async function answer(request, response, handler, headers) {
  // Who goes away in the middle ends the request, and not this process.
  request.on("error", () => {});
  response.on("error", () => {});
  const answer = await handler(toRequest(request, response));
  response.statusCode = answer.status;
  for (const { key, value } of headers) response.setHeader(key, value);
  for (const [name, value] of answer.headers) if (name !== "set-cookie") response.setHeader(name, value);
  for (const cookie of answer.headers.getSetCookie()) response.appendHeader("set-cookie", cookie);
  if (answer.body) response.write(Buffer.from(await answer.arrayBuffer()));
  response.end();
}

function toRequest(request, response) {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  // Node.js and the browser have a type for it each.
  const body = hasBody && /** @type {any} */ (ReadableStream.from(request));
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method,
    headers: request.headers,
    signal: gone.signal,
    ...(body && { body, duplex: "half" }),
  });
}
