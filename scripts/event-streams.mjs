import { randomUUID } from "node:crypto";

/** Names the request to the route that answers it, and its answer as a stream; neither a client's nor shown to one. */
const HEADER = "x-meguri-stream";

/**
 * Streams of events are written by this server, not by Next.js: a route handler starts the work and answers with headers
 * alone, and hands its feed (`lib/server/http/event-feed.ts`) to `Symbol.for("meguri.streams")` = `Map<name, (feed) =>
 * void>` on globalThis, where each request is found under a name of its own while it is handled. So a packet costs one
 * write into the socket, not the promises and web streams of a body that Next.js pipes.
 */
export function withEventStreams(handle) {
  const offers = new Map();
  globalThis[Symbol.for("meguri.streams")] = offers;
  return async (request, response) => {
    delete request.headers[HEADER];
    if (!mayStream(request)) return handle(request, response);
    const name = randomUUID();
    offers.set(name, (feed) => feedWhenEnded(response, name, feed));
    request.headers[HEADER] = name;
    try {
      return await handle(request, response);
    } finally {
      offers.delete(name);
    }
  };
}

const mayStream = ({ method, url }) => (method === "POST" || method === "GET") && /^\/(api|v1)\//.test(url);

/** Where Next.js ends the answer that has this name, the feed begins; what it does with the response later is void. */
function feedWhenEnded(response, name, feed) {
  const { end } = response;
  response.end = (...last) => {
    response.end = end;
    if (response.getHeader(HEADER) !== name) return response.end(...last);
    response.removeHeader(HEADER);
    response.end = () => response;
    const begin = () => feedSocket(response, feed, () => end.call(response));
    if (response.socket) begin();
    // An earlier answer on this connection is still being written; its headers go out before this turn is over.
    else if (!response.destroyed) response.once("socket", () => process.nextTick(begin));
    return response;
  };
}

/** Writes into the socket below `response`, whose headers it sends and which it leaves as any answered one. */
function feedSocket(response, feed, end) {
  const { socket } = response;
  if (response.destroyed || socket === null) return;
  let isFull = false;
  const onDrain = () => {
    isFull = false;
    feed.resume();
  };
  response.once("close", () => feed.leave());
  const send = (packet) => socket.write(response.chunkedEncoding ? packet.chunked : packet.bytes);
  socket.cork();
  response.flushHeaders();
  feed.start({
    write(packet) {
      // One that is half closed comes to its end by itself.
      if (!socket.writable) return false;
      const hasRoom = send(packet);
      if (!hasRoom && !isFull) socket.once("drain", onDrain);
      isFull = !hasRoom;
      return hasRoom;
    },
    end(last) {
      socket.off("drain", onDrain);
      // One system call for both: a socket costs more than what is written to it.
      socket.cork();
      if (last && socket.writable) send(last);
      end();
      socket.uncork();
    },
    drop: () => socket.destroy(),
  });
  socket.uncork();
}
