import { type AppPage, appPage } from "@/lib/server/apps/app-page";
import { publicUrl } from "@/lib/server/env";
import { CallSweep } from "@/lib/server/gateway/call-sweep";
import { HookSender } from "@/lib/server/hooks/hook-sender";
import { headersOf } from "@/lib/server/http/answer-headers";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { RunCommands } from "@/lib/server/runs/run-commands";
import { RunSweep } from "@/lib/server/runs/run-sweep";
import { followSignIns } from "@/lib/server/runs/sign-in-answers";
import { drainRuns } from "@/lib/server/runs/stop-run";
import { getDeps } from "./deps";
import { directRoutes, type FindRoute, type RouteModules } from "./direct-routes";
import type { Deps } from "./open-deps";
import { readForPage } from "./opened";

/** What `scripts/serve.mjs` uses of the application; handed over on `globalThis`, as it cannot import bundled code. */
export interface Runtime {
  /** The address to open: with the launch token, as long as it signs a browser in. */
  launchUrl(): string;
  /** No model is configured besides the built-in demo. */
  demo: boolean;
  /** The routes that `scripts/serve.mjs` asks itself. */
  findRoute: FindRoute;
  /** Of every answer that Next.js has no part in, before its own. */
  headers: readonly { key: string; value: string }[];
  /** Used by the page of a conversation. */
  readForPage: typeof readForPage;
  /** What the listener for apps answers to a request for this path. */
  appPage(path: string): AppPage;
  /** Whether a run goes on. */
  isBusy(): boolean;
  /** What live runs get to end when the process is told to. */
  drainMs: number;
  /** How long it is to go on listening at least, for balancers to notice that it is not ready. */
  noticeMs: number;
  /** Nothing new starts; live runs get `ms` to end. */
  drain(ms: number): Promise<void>;
  /** Ends children and connections, closes the database. */
  close(): Promise<void>;
}

/** Balancers that ask every second or two have noticed by then. */
const noticeMs = 5_000;

const holder = globalThis as Record<symbol, unknown>;

/** Opens everything and marks what a crash cut short; called once, before the first request. */
export async function boot(routes: RouteModules): Promise<void> {
  try {
    const deps = await getDeps();
    const recovered = await recoverRuns(deps);
    if (recovered > 0) deps.log.info({ runs: recovered }, "unfinished runs are marked interrupted");
    const unfollow = followSignIns(deps);
    await deps.matrices.start();
    deps.retention.start();
    void deps.scheduler.wake();
    deps.disk.start();
    const sweep = new RunSweep(deps);
    sweep.start();
    const calls = new CallSweep(deps);
    calls.start();
    const hooks = new HookSender(deps, { onAttempt: deps.metrics?.onHookAttempt });
    hooks.start();
    const commands = new RunCommands(deps, deps.metrics?.onCommand);
    commands.start();
    holder[Symbol.for("meguri.runtime")] = await runtime(deps, routes, async () => {
      unfollow();
      await commands.close();
      await sweep.close();
      await calls.close();
      await hooks.close();
    });
  } catch (cause) {
    // Next.js keeps what is thrown here to itself until the first request.
    holder[Symbol.for("meguri.startError")] = cause;
    throw cause;
  }
}

/** `stop` ends what goes on beside requests. */
async function runtime(deps: Deps, routes: RouteModules, stop: () => Promise<void>): Promise<Runtime> {
  const isFounded = deps.accounts !== undefined && (await deps.store.accounts.hasFounder());
  const token = isFounded ? "" : `?token=${encodeURIComponent(deps.secrets.launchToken)}`;
  return {
    findRoute: directRoutes(routes),
    readForPage,
    headers: headersOf("/"),
    launchUrl: () => `${publicUrl(deps.env)}/${token}`,
    appPage: (path) => appPage(path, deps),
    demo: (await deps.providers.defaultModel()) === "demo/demo",
    isBusy: () => deps.runs.count > 0,
    drainMs: deps.env.DRAIN_SECONDS * 1_000,
    noticeMs: deps.store.members.mayBeMany ? Math.min(deps.env.DRAIN_SECONDS * 1_000, noticeMs) : 0,
    drain: (ms) => {
      // Nothing of theirs is under way: who reads them goes to another instance at once.
      deps.hints.close();
      return drainRuns(deps, ms);
    },
    close: async () => {
      await stop();
      deps.disk.close();
      await deps.scheduler.close();
      await deps.matrices.close();
      await deps.retention.close();
      await deps.temporary.close();
      await deps.agentFiles?.close();
      await deps.skillFiles?.close();
      await deps.pool.close();
      await deps.tracing?.close();
      await deps.accounts?.audit.flush();
      await deps.store.close();
    },
  };
}
