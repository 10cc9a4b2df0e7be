import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { measureFiles } from "@/bench/disk/measure-files";
import { type Child, startChild } from "@/bench/support/child";
import type { Report, Table } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import type { Appended, Asked } from "./application";
import { queries } from "./texts";

const messages = 100_000;
const atOnce = 10_000;
const times = 40;
const appended = 300;
const rounds = 5;
const acceptedMs = 50;

/** The full-text search over many messages, and what it costs to store one. */
export async function benchStore(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  const [dataDir, config] = [join(folder, "data"), join(folder, "mcp-servers.json")];
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  const load = loadavg()[0] ?? 0;
  try {
    const app = await startChild<null>("store/application.ts", [dataDir, config]);
    for (let left = messages; left > 0; left -= atOnce) await app.ask({ fill: atOnce } satisfies Asked);
    const found = await searchAll(app);
    const costs = await appendBoth(app);
    await app.end();
    return report(found, costs, tablesOf(dataDir), load);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Found {
  what: string;
  ms: number[];
  found: number;
}

async function searchAll(app: Child<null>): Promise<Found[]> {
  const found: Found[] = [];
  for (const [what, find] of Object.entries(queries))
    found.push({ what, ...(await app.ask<Omit<Found, "what">>({ find, times } satisfies Asked)) });
  const [common = ""] = Object.values(queries);
  const filter = { project: "none" };
  const nowhere = await app.ask<Omit<Found, "what">>({ find: common, times, filter } satisfies Asked);
  return [...found, { what: "a word that most messages have, in a project that has none", ...nowhere }];
}

interface Costs {
  indexed: Appended[];
  bare: Appended[];
}

/** In turns, so that what a neighbour costs is spread over both. */
async function appendBoth(app: Child<null>): Promise<Costs> {
  const costs: Costs = { indexed: [], bare: [] };
  for (let n = 0; n < rounds; n++)
    for (const isFound of [true, false])
      costs[isFound ? "indexed" : "bare"].push(
        await app.ask<Appended>({ append: appended, isFound } satisfies Asked),
      );
  return costs;
}

function tablesOf(dataDir: string): { index: number; messages: number } {
  const { tables } = measureFiles(dataDir)["meguri.db"];
  const sum = (pattern: RegExp) =>
    tables.reduce((total, [name, bytes]) => total + (pattern.test(name) ? bytes : 0), 0);
  return {
    index: sum(/message_(fts|place)/),
    messages: sum(/^(message|message_by_.*|sqlite_.*_message_\d)$/),
  };
}

function report(
  found: readonly Found[],
  costs: Costs,
  bytes: ReturnType<typeof tablesOf>,
  load: number,
): Report {
  const p95 = quantile(
    found.flatMap(({ ms }) => ms),
    0.95,
  );
  const cost = (of: keyof Costs, key: keyof Appended) => median(costs[of].map((each) => each[key]));
  const ratio = cost("indexed", "cpuMs") / cost("bare", "cpuMs");
  const searches: Table = {
    head: ["looked for", "found on the page", "median, ms", "p95, ms"],
    rows: found.map(({ what, ms, found }) => [
      what,
      `${found}`,
      round(median(ms)),
      round(quantile(ms, 0.95)),
    ]),
  };
  const row = (what: string, of: keyof Costs) => [what, round(cost(of, "ms")), round(cost(of, "cpuMs"))];
  const appends: Table = {
    head: ["a message of 600 characters, stored by itself", "ms", "CPU ms"],
    rows: [row("with its words in the index", "indexed"), row("without (a summary)", "bare")],
  };
  const share = round((bytes.index / bytes.messages) * 100);
  return {
    title: "Store",
    about: `The search over ${messages} messages of one person, half of them Japanese, in ${messages / 50} conversations, by the use case behind \`GET /api/search\` with 20 on a page and their snippets; ${times} times each. Storing one costs ${round(ratio)} times the CPU that it would without the index. The index takes ${round(bytes.index / 1_000_000)} MB, ${share} % of what the messages take. Load average at the beginning: ${round(load)}.`,
    tables: [searches, appends],
    checks: [
      {
        what: "search, p95 of all",
        accepted: `${acceptedMs} ms`,
        measured: `${round(p95)} ms`,
        met: p95 <= acceptedMs,
      },
    ],
  };
}
