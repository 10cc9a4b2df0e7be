import { enableCompileCache, flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";

/** After which the first page has been asked for: to write what was compiled takes 0.1 s, once after a build. */
const SETTLED_AFTER_MS = 1_000;

/** By V8's own choice 400, 3,000 and 500, which is right for a page that is looked at for a minute. */
const TIERS = [
  "--invocation-count-for-maglev=200",
  "--invocation-count-for-turbofan=1000",
  "--minimum-invocations-after-ic-update=200",
];
/** The Node.js that comes with the packages: others call the options something else, or have none. */
const MEASURED = 24;

/** Has Node.js keep in this folder what it compiles of the modules that are loaded: a third of a start. */
export function keepCompiledCode(folder) {
  enableCompileCache(folder);
}

/**
 * To be called when the application has opened. Writes what was compiled, as Node.js does when a process ends, but not of one that is
 * killed; and has V8 compile what is called again and again for speed, sooner than it does by itself (decision 134). Not before: at the
 * start hardly anything is called so often again, and V8 takes kept code only with the options that it was compiled with.
 */
export function compileForSpeed() {
  setTimeout(() => {
    flushCompileCache();
    if (Number.parseInt(process.versions.node, 10) === MEASURED)
      for (const option of TIERS) setFlagsFromString(option);
  }, SETTLED_AFTER_MS).unref();
}
