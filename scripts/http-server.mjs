import { createServer } from "node:http";
import { createServer as createListener } from "node:net";

const LIMITS = {
  headersTimeout: 15_000,
  // For the request to arrive whole: an export of 2 GB takes so long at 30 Mbit/s. Answers have no limit of their own: a
  // stream lasts as long as its run.
  requestTimeout: 600_000,
  connectionsCheckingInterval: 5_000,
  // Longer than the idle time of common proxies, so that they never write into a connection that we just closed.
  keepAliveTimeout: 65_000,
};

/** Asked by balancers and for monitoring, under whatever address they reach this process; the routes tell strangers nothing. */
const PROBES = new Set(["/api/health", "/api/ready", "/api/metrics"]);
/** What the application reads in place of a name that is not ours. */
const STRANGE_NAME = "host.invalid";

/**
 * A node:http server that answers only under our own names, for pages, API, streams and static files alike.
 *
 * A page of another site whose name points to 127.0.0.1 (DNS rebinding) sends its own name as Host: 403. Only probes are answered under any.
 * `onUpgrade` gets WebSocket requests that passed the same check; without it they are closed.
 *
 * @param {{ isAllowedHost: (name: string) => boolean, homeUrl: () => string, onRequest: Function, onUpgrade?: Function | undefined }} options
 */
export function createGuardedServer({ isAllowedHost, homeUrl, onRequest, onUpgrade }) {
  const server = createServer(LIMITS, (request, response) => {
    if (!isOurs(request, isAllowedHost)) {
      if (isProbe(request)) request.headers.host = STRANGE_NAME;
      else
        return refuse(
          response,
          403,
          "forbidden_host",
          `Open ${homeUrl()} instead; this address is not ours.`,
        );
    }
    // Next.js answers both with 500.
    if (!isReadable(request.url)) {
      return refuse(response, 400, "invalid_url", "The address is not percent-encoded UTF-8.");
    }
    if (request.method === "TRACE") return refuse(response, 405, "wrong_method", "Use GET or POST instead.");
    // Next.js would take the public name from it; ours comes from PUBLIC_URL.
    delete request.headers["x-forwarded-host"];
    // For `lib/server/http/peer.ts`; what a client sends by this name is gone with it.
    request.headers["x-meguri-peer"] = request.socket.remoteAddress ?? "";
    void answer(() => onRequest(request, response), response);
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    if (onUpgrade === undefined || !isOurs(request, isAllowedHost)) return refuseUpgrade(socket);
    onUpgrade(request, socket, head);
  });
  return server;
}

/** What an answer breaks on ends that connection; unhandled it would end the process, with every run. */
async function answer(work, response) {
  try {
    await work();
  } catch (error) {
    console.error(error);
    response.destroy();
  }
}

/** Node keeps the first of several Host headers, a proxy before us may have looked at the last. */
function isOurs(request, isAllowedHost) {
  const { host } = request.headersDistinct;
  return host?.length === 1 && isAllowedHost(host[0].toLowerCase()) && request.url.startsWith("/");
}

const isProbe = ({ method = "", url = "" }) => method === "GET" && PROBES.has(url);

function isReadable(url) {
  try {
    decodeURIComponent(url.split("?")[0]);
    return true;
  } catch {
    return false;
  }
}

function refuse(response, status, code, message) {
  const body = JSON.stringify({ error: { code, message } });
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
}

function refuseUpgrade(socket) {
  socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

/**
 * Connections that wait while the process is busy. Node.js asks for 511; of a thousand browsers that come back at once the
 * others would be lost without an answer.
 */
const BACKLOG = 4_096;

/**
 * Of each listening socket Node.js takes one connection in a turn of the event loop, and a process that writes a thousand
 * answers has thirty turns a second: who comes new, to ask, to stop or to see whether it is alive, would wait for seconds.
 */
export const SOCKETS = 16;

/**
 * Listens at `sockets` sockets of one port where the system shares connections among them (Linux), else at one. Resolves with
 * the port in use; rejects with Node's error (`EADDRINUSE`, `EACCES`, …). `server.close()` closes all of them.
 *
 * @param {import("node:http").Server} server
 * @param {{ host: string, port: number, sockets?: number }} where
 * @returns {Promise<number>}
 */
export async function listen(server, { host, port, sockets = 1 }) {
  const where = { host, port, backlog: BACKLOG };
  if (sockets === 1 || process.platform !== "linux") return listenAt(server, where);
  // A shared port could be taken twice, one that nobody shares cannot.
  const claim = port === 0 ? undefined : await claimPort(where);
  const shared = { ...where, reusePort: true };
  const taken = await listenAt(server, shared).catch(() => null);
  // A sandbox that cannot share ports has one socket.
  if (taken === null) {
    claim?.close();
    return listenAt(server, where);
  }
  shared.port = taken;
  const others = Array.from({ length: sockets - 1 }, () =>
    createListener({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  );
  const { close } = server;
  server.close = (...done) => {
    for (const other of others) other.close();
    claim?.close();
    return close.apply(server, done);
  };
  for (const other of others) await listenAt(other, shared);
  return taken;
}

/**
 * Rejects where anybody has the port. Two who look in the same moment would both find it free, so that a name that the system
 * gives to one of them is taken before, and kept: it is gone with its process, however that ends.
 */
async function claimPort(where) {
  const claim = createListener((socket) => socket.destroy());
  try {
    await listenAt(claim, { path: `\0meguri ${where.host} ${where.port}` });
  } catch (cause) {
    if (cause.code === "EADDRINUSE") throw cause;
    // A sandbox without such names: the look alone has to do.
  }
  const alone = createListener();
  try {
    await listenAt(alone, where);
  } catch (cause) {
    claim.close();
    throw cause;
  }
  await new Promise((resolve) => alone.close(resolve));
  return claim.unref();
}

/** @returns {Promise<number>} */
function listenAt(server, where) {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      resolve(server.address().port);
    });
  });
}
