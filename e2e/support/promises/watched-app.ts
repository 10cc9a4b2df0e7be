import { existsSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { atOnce, callTools, say, usage } from "@/lib/providers/testing/steps";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";
import { apiOf } from "../api";
import type { App, StartOptions } from "../app";
import type { Gated } from "../gated";
import { isAlive } from "../processes";
import { expect } from "../server-test";
import { checkForeignOrigin, checkProcesses, checkPromises, type Log } from "./check-promises";
import { History } from "./history";
import type { ReadRows } from "./stored";

/** The key of the model's server, which must be nowhere else. */
const secret = "canary-5f8a2c17e9";

/** An application with one MCP server, `gated`, and a model that calls it once for each question; what it is told is kept. */
export interface WatchedApp {
  app: Watchable;
  history: History;
  gated: Gated;
  /** Of a build with fault points: from now on counts the nth time, `log_write:3` or `log_write:3:fail`; without one nothing fails. */
  arm(fault?: string): void;
  /** Whether what was armed last has happened. */
  isMet(): boolean;
  /** As `isMet`, after the time that what comes after a run or a start takes: logs are packed, runs ended. */
  isMetSoon(): Promise<boolean>;
  isAlive(): boolean;
  /** Resolves when the MCP server takes calls. */
  ready(): Promise<void>;
  /** Resolves when nothing runs any more. */
  quiet(): Promise<void>;
  /** Holds what is stored to what was told; while nothing runs. `whole`: also logs that were looked at before. */
  check(what?: "whole"): Promise<void>;
}

/** Asked for hundreds of times, of an application that answers in a few milliseconds. */
const soon = { intervals: [10, 20, 50] };

/** An application, or several that are one. */
export interface Watchable
  extends Pick<App, "baseUrl" | "fetch" | "dataDir" | "output" | "kill9" | "restart"> {
  /** Of its processes. */
  pids(): number[];
  /** Of its records; those of `dataDir` where it is not said. */
  rows?: ReadRows;
  /** A kill ends one of several processes, and another one may go on with what was being done. */
  isSeveral?: true;
}

type Start = (
  script: Script,
  options: StartOptions,
) => Promise<{ app: App | Watchable; model: Pick<WireServer, "url"> }>;

const toWatchable = (app: App | Watchable): Watchable =>
  "pids" in app
    ? app
    : {
        ...{ baseUrl: app.baseUrl, dataDir: app.dataDir, fetch: app.fetch, output: app.output },
        ...{ kill9: app.kill9, restart: app.restart, pids: () => [app.pid] },
      };

/** Calls `work` with the text of the question as its key, and ends when it has a result; a note is only noted. */
const workOnce: Script = ({ lastUserText, toolResults }) => {
  if (lastUserText.startsWith("note")) return [say("Noted."), usage(9, 1)];
  // Its first turn comes piece by piece already.
  if (toolResults.length > 0) return [say("Done."), usage(20, 4), atOnce];
  return [
    say("First."),
    callTools({ name: "gated__work", id: `call_${lastUserText}`, args: { key: lastUserText } }),
  ];
};

/** With `faults` on the build that has fault points. */
export async function startWatched(
  start: Start,
  gated: Gated,
  { faults = false, env = {} }: { faults?: boolean; env?: Record<string, string> } = {},
): Promise<WatchedApp> {
  const file = `${gated.journal}.fault`;
  const met = `${file}.met`;
  writeFileSync(file, "");
  const { app: started } = await start(workOnce, {
    mcpConfig: { mcpServers: { gated: gated.config } },
    env: {
      OPENAI_API_KEY: secret,
      ...(faults && { NEXT_DIST_DIR: ".next-faults", FAULT: `@${file}` }),
      ...env,
    },
  });
  const app = toWatchable(started);
  const history = new History(app);
  const known = new Map<string, Log>();
  const api = apiOf(app);
  const isMet = () => existsSync(met);
  const active = async () => {
    const { items } = await api.get<{ items: { activeRunId: string | null }[] }>("/api/conversations");
    return items.flatMap(({ activeRunId }) => activeRunId ?? []);
  };
  return {
    ...{ app, history, gated },
    arm(fault = "") {
      rmSync(met, { force: true });
      writeFileSync(file, fault);
    },
    isMet,
    async isMetSoon() {
      for (const until = Date.now() + 300; !isMet() && Date.now() < until; ) await setTimeout(20);
      return isMet();
    },
    isAlive: () => app.pids().every(isAlive),
    ready: () => expect.poll(async () => (await api.server("gated")).status, soon).toBe("ready"),
    quiet: () => expect.poll(active, soon).toEqual([]),
    async check(what) {
      if (what === "whole") known.clear();
      await checkForeignOrigin(app);
      await checkProcesses(app.pids(), gated);
      const { rows } = app;
      await checkPromises({
        ...{ app, history, journal: gated.lines(), secrets: [secret], known },
        ...(rows && { rows }),
      });
    },
  };
}
