import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Child, startChild } from "@/bench/support/child";
import type { Report, Table } from "@/bench/support/report";
import { round } from "@/bench/support/stats";
import type { Wanted } from "./application";
import { answerCharacters, answerTokens, databases, measureFiles, totalOf } from "./measure-files";

const answers = 500;
/** Of these, as many as are measured before any log of theirs is packed. */
const first = 25;
const atOnce = 25;
const acceptedBytes = 15_000;
/** How long nothing changes when all is packed, and what is waited for that at most. */
const quietMs = 10_000;
const longestMs = 300_000;

/** What answers take on the disk: an application in a process of its own writes them, a model server in another speaks. */
export async function benchDisk(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  const [dataDir, config] = [join(folder, "data"), join(folder, "mcp-servers.json")];
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  const model = await startChild<string>("disk/model-server.ts");
  const start = () => startChild<true>("disk/application.ts", [dataDir, config, model.ready]);
  const ask = (app: Child<true>, wanted: Wanted) => app.ask(wanted);
  try {
    const app = await start();
    const empty = withoutJournals(measureFiles(dataDir));
    await ask(app, { answers: first, atOnce });
    await app.end();
    const before = measureFiles(dataDir);
    const again = await start();
    for (let left = answers - first; left > 0; left -= atOnce)
      await ask(again, { answers: Math.min(left, atOnce), atOnce });
    await untilQuiet(dataDir);
    const after = measureFiles(dataDir);
    await again.end();
    return report(empty, before, after);
  } finally {
    await model.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What an empty folder has of them must not be taken off. */
const withoutJournals = (files: Files): Files => ({
  "meguri.db": { ...files["meguri.db"], journal: 0 },
  "run-log.db": { ...files["run-log.db"], journal: 0 },
});

async function untilQuiet(dataDir: string): Promise<void> {
  const end = performance.now() + longestMs;
  let last = Number.NaN;
  for (let since = 0; since < quietMs && performance.now() < end; since += 1_000) {
    await wait(1_000);
    const now = totalOf(measureFiles(dataDir));
    if (now !== last) since = 0;
    last = now;
  }
}

type Files = ReturnType<typeof measureFiles>;

function report(empty: Files, before: Files, after: Files): Report {
  const packed = (totalOf(after) - totalOf(empty)) / answers;
  return {
    title: "The disk",
    about: `${answers} answers of ${answerTokens} tokens (${round(answerCharacters / 1000)} KB of English text in tokens of 1 to 10 characters, 1 to 3 ms apart), each in a conversation of its own, ${atOnce} at once, written by the application without its HTTP. Bytes an answer, without what an empty folder has: used pages of both databases, their journals beside. Before: the process ends when it has ${first} answers, before a log is packed. After: when nothing changes any more, the application still running. No search index is among them.`,
    checks: [
      {
        what: `an answer of ${answerTokens} tokens after packing`,
        accepted: `${round(acceptedBytes / 1000)} KB`,
        measured: `${round(packed / 1000)} KB`,
        met: packed <= acceptedBytes,
      },
    ],
    tables: [filesTable(empty, before, after), tablesTable(empty, after)],
  };
}

function filesTable(empty: Files, before: Files, after: Files): Table {
  const each = (files: Files, count: number, file: (typeof databases)[number], key: "used" | "journal") =>
    `${round((files[file][key] - empty[file][key]) / count)}`;
  return {
    head: ["bytes an answer", "before: pages", "journal", "after: pages", "journal", "free pages, all"],
    rows: databases.map((file) => [
      file,
      each(before, first, file, "used"),
      each(before, first, file, "journal"),
      each(after, answers, file, "used"),
      each(after, answers, file, "journal"),
      String(after[file].free),
    ]),
  };
}

const tablesTable = (empty: Files, after: Files): Table => ({
  head: ["table or index, after", "bytes an answer"],
  rows: databases.flatMap((file) => {
    const before = new Map(empty[file].tables);
    const grown = after[file].tables.map(([name, bytes]) => [name, bytes - (before.get(name) ?? 0)] as const);
    return grown
      .filter(([, bytes]) => bytes > 0)
      .map(([name, bytes]) => [`${file}: ${name}`, round(bytes / answers)]);
  }),
});
