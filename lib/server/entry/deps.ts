import type { Deps } from "./open-deps";

// Next.js may bundle each route on its own: a module-level singleton would exist several times.
const key = Symbol.for("meguri.deps");
const holder = globalThis as { [key]?: Promise<Deps> };

/** The one set of adapters of this process; opens them at the first call. */
export function getDeps(): Promise<Deps> {
  // What opens them is large, and loaded where they are opened alone.
  holder[key] ??= import("./open-deps").then(({ openDeps }) => openDeps());
  return holder[key];
}
