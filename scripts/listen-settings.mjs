import { SetupError } from "./setup-error.mjs";

/**
 * Where to listen and under which names: `{ host, port, allowedHosts(port) }` from `PORT`, `HOST`, `PUBLIC_URL`, `AUTH`.
 *
 * Throws `SetupError` with one sentence that names the variable. An empty value counts as not set.
 */
export function readListenSettings(env) {
  const port = readPort(env.PORT || "3000");
  const host = env.HOST || "127.0.0.1";
  const auth = env.AUTH || "local";
  if (auth !== "local") {
    throw new SetupError(`AUTH=${auth} is not supported by this version yet: remove AUTH to start.`);
  }
  if (!isLoopback(host)) {
    throw new SetupError(
      `HOST=${host} would open Meguri to the network, which needs accounts, and this version has none yet: ` +
        "remove HOST, and let a reverse proxy that checks its users forward to 127.0.0.1 (see PUBLIC_URL).",
    );
  }
  const publicHost = readPublicHost(env.PUBLIC_URL);
  return { host, port, allowedHosts: (actualPort) => hostNames(actualPort, publicHost) };
}

function readPort(text) {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new SetupError(`PORT must be a number from 0 to 65535, not "${text}".`);
}

function isLoopback(host) {
  return ["127.0.0.1", "localhost", "::1"].includes(host);
}

function readPublicHost(text) {
  if (!text) return [];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SetupError(`PUBLIC_URL must be a http:// or https:// address, not "${text}".`);
  }
  return [url.host];
}

/** A browser leaves the default port out of Host. */
function hostNames(port, publicHost) {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  return new Set([
    ...names.map((name) => `${name}:${port}`),
    ...(port === 80 ? names : []),
    ...publicHost.map((host) => host.toLowerCase()),
  ]);
}
