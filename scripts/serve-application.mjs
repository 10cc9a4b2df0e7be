import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { listenForApps } from "./app-server.mjs";
import { startApplication } from "./application.mjs";
import { isNewEnough } from "./choose-node.mjs";
import { startCommand } from "./command-name.mjs";
import { compileForSpeed, keepCompiledCode, writeCompiledCode } from "./compiled-code.mjs";
import { createGuardedServer, listen, SOCKETS } from "./http-server.mjs";
import { readListenSettings } from "./listen-settings.mjs";
import { collectAtRest } from "./memory.mjs";
import { writeRunning } from "./running-file.mjs";
import { SetupError } from "./setup-error.mjs";
import { endOnSignals } from "./shutdown.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Listens, opens the application and prints its address; ends by signals. `envFile`: what the greeting calls the file for
 * variables. `onReady({ url })` is called when other commands find it.
 *
 * Throws `SetupError` where the person at the terminal can act on it.
 *
 * @param {{ dev?: boolean, envFile?: string, onReady?: (server: { url: string }) => void }} [options]
 */
export async function serveApplication({ dev = false, envFile = ".env", onReady = () => {} } = {}) {
  if (!isNewEnough(process.versions.node))
    throw new SetupError("Start Meguri with `npm start`: it finds the right Node.");
  process.chdir(root);
  Object.assign(process.env, { NODE_ENV: dev ? "development" : "production" });
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  const { default: nextEnv } = await import("@next/env");
  nextEnv.loadEnvConfig(root, dev);
  // An empty value counts as not set; the providers' libraries would take it for an address.
  for (const [name, value] of Object.entries(process.env)) if (value === "") delete process.env[name];
  // A build takes the folder away with the last one.
  if (!dev) keepCompiledCode(join(distDir(), "compiled"));
  const settings = readListenSettings(process.env);

  const { promise: application, resolve: opened } = Promise.withResolvers();
  let allowedHosts = new Set();
  const server = createGuardedServer({
    isAllowedHost: (host) => allowedHosts.has(host),
    homeUrl,
    onRequest: async (request, response) => (await application).handle(request, response),
    // Only development has a WebSocket: the one that reloads changed modules.
    onUpgrade: dev ? async (...upgrade) => (await application).upgrade(...upgrade) : undefined,
  });

  // Before the application opens: a port in use must not touch the database of the one who uses it.
  const port = await listen(server, { ...settings, sockets: SOCKETS }).catch((error) =>
    explain(error, settings),
  );
  process.env.PORT = String(port);
  allowedHosts = settings.allowedHosts(port);
  const runtime = () => globalThis[Symbol.for("meguri.runtime")];
  process.env.APP_PORT = String(await listenForApps({ ...settings, homeUrl, runtime }));

  const app = await startApplication({ dev, dir: root, host: settings.host, port });
  opened(app);
  const unmark = dev ? () => {} : markServed({ pid: process.pid, host: settings.host, port });
  const url = app.runtime().launchUrl();
  const takeBack = markRunning(url, settings.host, port);
  onReady({ url });
  endOnSignals({
    server,
    runtime: app.runtime,
    onExit: () => {
      takeBack();
      unmark();
    },
  });
  greet(app.runtime(), envFile);
  if (!dev) {
    writeCompiledCode();
    compileForSpeed(server);
  }
  collectAtRest({ isBusy: () => app.runtime().isBusy() });
}

function distDir() {
  return join(root, process.env.NEXT_DIST_DIR || ".next");
}

function homeUrl() {
  return process.env.PUBLIC_URL || `http://127.0.0.1:${process.env.PORT}`;
}

function explain(error, { host, port }) {
  switch (error.code) {
    case "EADDRINUSE":
      throw new SetupError(
        `Port ${port} on ${host} is in use: stop the program that uses it, or choose another port, for example PORT=${port + 1} ${startCommand()}.`,
      );
    case "EACCES":
      throw new SetupError(
        `Port ${port} needs special rights here: choose one above 1023, for example PORT=3000.`,
      );
    default:
      throw new SetupError(
        `Cannot listen on HOST=${host}, PORT=${port} (${error.code}): remove HOST to use 127.0.0.1.`,
      );
  }
}

/** Tells `meguri ask` and the like where the data folder is served. Returns what takes that back. */
function markRunning(url, host, port) {
  const origin = `http://${host === "::1" ? "[::1]" : "127.0.0.1"}:${port}`;
  try {
    // The default of the application itself.
    return writeRunning(resolve(process.env.DATA_DIR || "data"), { url, origin });
  } catch (error) {
    console.error(`Commands like meguri ask will not find this Meguri: ${error.message}.`);
    return () => {};
  }
}

/** Tells `scripts/build.mjs` that this build is in use. Returns what takes the mark away. */
function markServed(server) {
  const file = join(distDir(), "meguri-server.json");
  try {
    writeFileSync(file, JSON.stringify(server));
  } catch {
    // A dist folder that cannot be written is not rebuilt either, and nothing can be taken out of it.
    return () => {};
  }
  return () => rmSync(file, { force: true });
}

function greet({ demo, launchUrl }, envFile) {
  if (demo) {
    console.log(
      "The built-in demo answers, which is no AI. For a real model enter a key in Settings → Models, or put " +
        `GOOGLE_GENERATIVE_AI_API_KEY=… into ${envFile} and start again; a running Ollama is found by itself.`,
    );
  }
  console.log(`Meguri is ready: ${launchUrl()}`);
}
