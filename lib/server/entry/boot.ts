import { type AppPage, appPage } from "@/lib/server/apps/app-page";
import { publicUrl } from "@/lib/server/env";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { drainRuns } from "@/lib/server/runs/stop-run";
import { type Deps, getDeps } from "./deps";

/** What `scripts/serve.mjs` uses of the application; handed over on `globalThis`, as it cannot import bundled code. */
export interface Runtime {
  /** The address with the launch token that signs a browser in. */
  launchUrl(): string;
  /** No model is configured besides the built-in demo. */
  demo: boolean;
  /** What the listener for apps answers to a request for this path. */
  appPage(path: string): AppPage;
  /** Nothing new starts; live runs get `ms` to end. */
  drain(ms: number): Promise<void>;
  /** Ends children and connections, closes the database. */
  close(): Promise<void>;
}

const holder = globalThis as Record<symbol, unknown>;

/** Opens everything and marks what a crash cut short; called once, before the first request. */
export async function boot(): Promise<void> {
  try {
    const deps = await getDeps();
    const recovered = await recoverRuns(deps);
    if (recovered > 0) deps.log.info({ runs: recovered }, "unfinished runs are marked interrupted");
    deps.retention.start();
    holder[Symbol.for("meguri.runtime")] = await runtime(deps);
  } catch (cause) {
    // Next.js keeps what is thrown here to itself until the first request.
    holder[Symbol.for("meguri.startError")] = cause;
    throw cause;
  }
}

async function runtime(deps: Deps): Promise<Runtime> {
  return {
    launchUrl: () => `${publicUrl(deps.env)}/?token=${encodeURIComponent(deps.secrets.launchToken)}`,
    appPage: (path) => appPage(path, deps),
    demo: (await deps.providers.defaultModel()) === "demo/demo",
    drain: (ms) => drainRuns(deps, ms),
    close: async () => {
      await deps.retention.close();
      await deps.pool.close();
      await deps.tracing?.close();
      await deps.store.close();
    },
  };
}
