import { enableCompileCache, flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";

/** After which the first page has been asked for: to write what was compiled takes 0.1 s, once after a build. */
const SETTLED_AFTER_MS = 1_000;

/** Questions after which a process is one that is asked a lot: the second that the compiler takes then comes back within the next thousands. */
const MANY = 500;
/** By V8's own choice 400, 3,000 and 500. */
const TIERS = [
  "--invocation-count-for-maglev=50",
  "--invocation-count-for-turbofan=250",
  "--minimum-invocations-after-ic-update=50",
];
/** The Node.js that comes with the packages: others call the options something else, or have none. */
const MEASURED = 24;

/** Has Node.js keep in this folder what it compiles of the modules that are loaded: a third of a start. */
export function keepCompiledCode(folder) {
  enableCompileCache(folder);
}

/** To be called when the application has opened. Node.js writes it when a process ends, but not of one that is killed. */
export function writeCompiledCode() {
  setTimeout(flushCompileCache, SETTLED_AFTER_MS).unref();
}

/**
 * Has V8 compile what is called again and again for speed, sooner than it does by itself, once this server has been asked something
 * 500 times (decision 134): at the start it is hardly called so often again, and the compiler would take the cores that the few answers
 * of one person need.
 *
 * @param {import("node:events").EventEmitter} server
 */
export function compileForSpeed(server) {
  if (Number.parseInt(process.versions.node, 10) !== MEASURED) return;
  let count = 0;
  const onRequest = ({ method }) => {
    // Pages, their files and probes read.
    if (method !== "POST" || ++count < MANY) return;
    server.off("request", onRequest);
    for (const option of TIERS) setFlagsFromString(option);
  };
  server.on("request", onRequest);
}
