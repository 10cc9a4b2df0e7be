import { SetupError } from "./setup-error.mjs";

/**
 * Where to listen and under which names: `{ host, port, allowedHosts(port) }` from `PORT`, `HOST`, `PUBLIC_URL`, `AUTH`,
 * and the same for apps of MCP servers, `{ appPort, allowedAppHosts(port) }`, from `APP_PORT` and `APP_URL`.
 *
 * Throws `SetupError` with one sentence that names the variable. An empty value counts as not set.
 */
export function readListenSettings(env) {
  const port = readPort("PORT", env.PORT || "3000");
  const appPort = readPort("APP_PORT", env.APP_PORT || "0");
  // By its name the system may choose ::1, where what asks 127.0.0.1 finds nobody: commands, other programs, a proxy.
  const host = !env.HOST || env.HOST === "localhost" ? "127.0.0.1" : env.HOST;
  const auth = env.AUTH || "local";
  if (auth !== "local" && auth !== "accounts") {
    throw new SetupError(`AUTH must be "local" or "accounts", not "${auth}".`);
  }
  if (!isLoopback(host)) checkOpen(host, auth, env.PUBLIC_URL);
  const publicHost = readPublicHost("PUBLIC_URL", env.PUBLIC_URL);
  const appHost = readPublicHost("APP_URL", env.APP_URL);
  if (appHost.length > 0 && appHost[0] === publicHost[0])
    throw new SetupError(
      "APP_URL must differ from PUBLIC_URL in its name or port: apps must not share our origin.",
    );
  return {
    ...{ host, port, appPort },
    allowedHosts: (actualPort) => hostNames(actualPort, publicHost),
    allowedAppHosts: (actualPort) => hostNames(actualPort, appHost),
  };
}

/** Who listens for others than this machine asks them who they are, and knows the name by which they come. */
function checkOpen(host, auth, publicUrl) {
  const opens = `HOST=${host} opens Meguri to the network, which needs`;
  if (auth !== "accounts")
    throw new SetupError(
      `${opens} accounts: set AUTH=accounts and PUBLIC_URL, or remove HOST, and let a reverse proxy that checks its ` +
        "users forward to 127.0.0.1 (see PUBLIC_URL).",
    );
  if (!publicUrl)
    throw new SetupError(
      `${opens} the address that people type: set PUBLIC_URL, for example PUBLIC_URL=https://meguri.example.com.`,
    );
}

function readPort(name, text) {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new SetupError(`${name} must be a number from 0 to 65535, not "${text}".`);
}

function isLoopback(host) {
  return ["127.0.0.1", "::1"].includes(host);
}

function readPublicHost(name, text) {
  if (!text) return [];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SetupError(`${name} must be a http:// or https:// address, not "${text}".`);
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
