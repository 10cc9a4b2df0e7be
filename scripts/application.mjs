import { EventEmitter } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withDirectRoutes } from "./direct-routes.mjs";
import { withEventStreams } from "./event-streams.mjs";
import { withPackedFiles } from "./packed-files.mjs";
import { SetupError } from "./setup-error.mjs";

const START_DEADLINE_MS = 60_000;
/** Read by Next.js while it prepares. */
const BUILT_CONFIG = "__NEXT_PRIVATE_STANDALONE_CONFIG";

/**
 * Starts Next.js in this process and waits until `instrumentation.ts` has opened the application.
 *
 * The two meet on globalThis, because Next.js bundles the application apart from this script:
 * - `Symbol.for("meguri.runtime")` = `{ launchUrl(), demo, findRoute(method, url), headers, appPage(path), readForPage(headers, id), isBusy(), drainMs, noticeMs, drain(ms), close() }` once everything is open;
 * - `Symbol.for("meguri.startError")` = the error instead. Of a `StartError` only the message is shown;
 * - `Symbol.for("meguri.progress")` = a line about work before it that takes long, each few seconds.
 *
 * Returns `{ handle(request, response), upgrade(request, socket, head), runtime() }`; a reload in development may
 * replace the runtime.
 */
export async function startApplication({ dev, dir, host, port }) {
  if (!dev) takeBuiltConfig(join(dir, process.env.NEXT_DIST_DIR || ".next"));
  const { default: next } = await import("next");
  const opened = awaitRuntime();
  // Next.js adds an upgrade listener of its own to the server it is given: it gets one behind our Host check.
  const upgrades = /** @type {import("node:http").Server} */ (new EventEmitter());
  const app = next({ dev, dir, hostname: host, port, httpServer: upgrades });
  await Promise.all([opened, app.prepare()]).catch(rethrowStartError);
  delete process.env[BUILT_CONFIG];
  const handle = app.getRequestHandler();
  const runtime = () => globalThis[Symbol.for("meguri.runtime")];
  const withFiles = (next) =>
    withPackedFiles(next, {
      dir,
      distDir: process.env.NEXT_DIST_DIR || ".next",
      headers: () => runtime()?.headers ?? [],
    });
  return {
    handle: dev ? handle : withEventStreams(withDirectRoutes(withFiles(handle), runtime)),
    runtime,
    upgrade(request, socket, head) {
      if (!upgrades.emit("upgrade", request, socket, head)) socket.destroy();
    },
  };
}

/**
 * Has Next.js take the settings that it was built with, as the server of its own `standalone` output does: to read
 * `next.config.ts` again, with a compiler of its own, is a tenth of a start.
 */
function takeBuiltConfig(distDir) {
  const file = join(distDir, "required-server-files.json");
  // Without a build Next.js says so itself.
  if (!existsSync(file)) return;
  const { config } = JSON.parse(readFileSync(file, "utf8"));
  process.env[BUILT_CONFIG] = JSON.stringify(config);
}

/** In production Next.js swallows what `register()` throws until the first request, so prepare() alone tells nothing. */
export function awaitRuntime(tell = console.log) {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(
      () => reject(new SetupError("Meguri did not open within 60 s: see the lines above.")),
      START_DEADLINE_MS,
    ).unref();
    onAssigned(Symbol.for("meguri.runtime"), resolve);
    onAssigned(Symbol.for("meguri.startError"), reject);
    onAssigned(Symbol.for("meguri.progress"), (line) => {
      tell(line);
      // An upgrade of large files takes longer than a start may; one that is cut short begins anew.
      deadline.refresh();
    });
  });
}

function onAssigned(symbol, callback) {
  let current;
  Object.defineProperty(globalThis, symbol, {
    configurable: true,
    get: () => current,
    set(value) {
      current = value;
      callback(value);
    },
  });
}

function rethrowStartError(error) {
  if (error?.name === "StartError") {
    throw new SetupError(
      error.message.replace(/^An error occurred while loading instrumentation hook: /, ""),
    );
  }
  if (/Could not find a production build/.test(error?.message)) {
    throw new SetupError("There is no finished build to serve: run `npm start`, which builds first.");
  }
  throw error;
}
