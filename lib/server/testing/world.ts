import { onTestFinished } from "vitest";
import type { Provider, Turn } from "@/lib/agent/ports";
import { assertAccepted } from "@/lib/agent/testing/scripted";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import { type DeskServer, openDeskServer } from "@/lib/mcp/testing/desk-server";
import { openPool, type TestPool } from "@/lib/mcp/testing/test-pool";
import type { ModelChunk } from "@/lib/protocol/chunk";
import { modelHistory } from "@/lib/protocol/history";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { askWaiting } from "@/lib/server/conversations/ask-waiting";
import type { Env } from "@/lib/server/env";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import type { StoreOptions } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { fastDir, openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import { type GatedStore, gated } from "./gated-store";

/** What the model says, a script for each turn; a promise is waited for as long as the run wants the turn. */
export type Script = readonly (readonly (ModelChunk | Error | Promise<unknown>)[])[];

/** What outlives a process in a test: the store and the servers. The model is scripted and goes on as well. */
export interface World {
  store: Store;
  /** Where it keeps its files. */
  dataDir: string;
  desk: DeskServer;
  tools: TestPool;
  /** Turns that the model was asked for. */
  turns: Turn[];
  model: Provider;
}

/** A real store in a new folder, a real pool with the server `desk`, and a model that plays the script. */
export async function openWorld(
  script: Script,
  dataDir = fastDir(),
  options: Pick<StoreOptions, "onStatement"> = {},
): Promise<World> {
  const desk = await openDeskServer();
  onTestFinished(() => desk.close());
  const tools = await openPool({ desk: desk.config });
  onTestFinished(() => tools.close());
  await tools.ready("desk");
  const turns: Turn[] = [];
  const store = await openTempStore({ dataDir, ...options });
  // A title by the model would be one more turn of the script.
  await store.settings.set("ann", "titles", "words");
  return {
    store,
    dataDir,
    desk,
    tools,
    turns,
    model: playing(script, turns),
  };
}

function playing(script: Script, turns: Turn[]): Provider {
  return {
    async *stream(turn) {
      turns.push(turn);
      assertAccepted(modelHistory(turn.history));
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      aborted.catch(() => {});
      turn.signal.addEventListener("abort", () => reject(turn.signal.reason));
      const events = script[turns.length - 1];
      if (!events) throw new Error(`The script has no turn ${turns.length}.`);
      for (const event of events) {
        turn.signal.throwIfAborted();
        if (event instanceof Error) throw event;
        if (event instanceof Promise) await Promise.race([event, aborted]);
        else yield event;
      }
    },
  };
}

/** A process: a registry and calls under way of its own, on a store that others may have as well. */
export interface Process extends RunDeps {
  store: GatedStore;
  files: AttachmentFiles;
  env: Pick<Env, "AGENTS_DIR" | "SKILLS_DIR" | "TOOL_APPROVAL">;
  /** What it has logged as an error. */
  faults: unknown[];
}

export function startProcess(world: World): Process {
  const faults: unknown[] = [];
  const started: Process = {
    store: gated(world.store),
    runs: new LiveRuns(),
    turns: new KeyedMutex(),
    inFlight: new InFlightCalls(),
    pool: world.tools.pool,
    providers: {
      provider: () => world.model,
      models: async () => [],
      window: () => undefined,
      price: () => undefined,
      defaultModel: async () => "scripted/model",
    },
    files: AttachmentFiles.inFolder(tempDir(), async () => 1_000_000),
    env: { TOOL_APPROVAL: "ask", AGENTS_DIR: "/nowhere", SKILLS_DIR: "/nowhere" },
    log: { error: (...said: unknown[]) => void faults.push(said[0]), warn: () => {} },
    tracing: undefined,
    faults,
    askWaiting: (ended, chainId) => askWaiting(started, ended, chainId),
    dayBudget: async () => ({ add: () => {}, assertLeft: async () => {} }),
    sharedBudget: async () => undefined,
  };
  return started;
}

/** One process in a new world. */
export async function startAlone(...script: Script): Promise<Process & { world: World }> {
  const world = await openWorld(script);
  return { ...startProcess(world), world };
}

/** `kill -9`, and the next start with what it recovers. */
export async function restart(app: Process & { world: World }): Promise<Process & { world: World }> {
  app.store.kill();
  await app.store.quiet();
  const next = startProcess(app.world);
  await recoverRuns(next);
  return { ...next, world: app.world };
}
