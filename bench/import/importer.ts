import { createReadStream } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { serveParent } from "@/bench/support/child";
import { getDeps } from "@/lib/server/entry/deps";
import { importConversations } from "@/lib/server/transfer/import-conversations";

// The application without its HTTP: what its process opens at the start, and the use case behind the route.
const [dataDir = "", config = ""] = process.argv.slice(2);
Object.assign(process.env, { DATA_DIR: dataDir, MCP_CONFIG: config, LOG_LEVEL: "error" });
const deps = await getDeps();

/** What an import takes of the process that does it. */
export interface Import {
  imported: number;
  seconds: number;
  cpuSeconds: number;
  /** Megabytes of resident memory beyond those before. */
  grown: number;
  /** Milliseconds in which nothing else got its turn. */
  lag: { p95: number; p99: number; most: number };
}

async function importFile(path: string): Promise<Import> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const body = Readable.toWeb(createReadStream(path)) as ReadableStream;
  const request = new Request("http://127.0.0.1/", {
    ...{ method: "POST", body, duplex: "half" },
    headers: { accept: "text/event-stream", "content-type": "application/octet-stream" },
  });
  const response = (await importConversations(deps, "bench", request, { preview: false })) as Response;
  const told = await response.text();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  clearInterval(timer);
  const imported = /"imported":(\d+)/.exec(told)?.[1];
  if (imported === undefined) throw new Error(`It ended with ${told.slice(-300)}`);
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  return {
    imported: Number(imported),
    seconds,
    cpuSeconds: (user + system) / 1e6,
    grown: (peak - before) / 1024 ** 2,
    lag: { p95: ms(delay.percentile(95)), p99: ms(delay.percentile(99)), most: ms(delay.max) },
  };
}

let result: Promise<Import> | undefined;

/** A path begins an import; without one it is waited for, a minute at most. */
serveParent(true, async (path: string | null) => {
  if (path === null) return Promise.race([result, wait(60_000, null, { ref: false })]);
  result = importFile(path);
  return null;
});
