import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "@/bench/support/child";
import type { Check, Report } from "@/bench/support/report";
import { round } from "@/bench/support/stats";
import type { Import } from "./importer";
import { writeExport } from "./write-export";

const megabyte = 1024 ** 2;
const bytes = 200 * megabyte;
const accepted = { seconds: 60, grown: 300, lag: 50 };

/** An export of ChatGPT, imported by a process of its own as the route does it, and once more. */
export async function benchImport(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  const file = join(folder, "conversations.json");
  try {
    const conversations = await writeExport(file, bytes);
    const config = join(folder, "mcp-servers.json");
    writeFileSync(config, JSON.stringify({ mcpServers: {} }));
    const importer = await startChild<true>("import/importer.ts", [join(folder, "data"), config]);
    const first = await importFile(importer, file);
    const again = await importFile(importer, file);
    await importer.end();
    if (first.imported !== conversations)
      throw new Error(`${first.imported} of ${conversations} were imported.`);
    return report(statSync(file).size, conversations, first, again);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function importFile(importer: Child<true>, file: string): Promise<Import> {
  await importer.ask<null>(file);
  for (;;) {
    const result = await importer.ask<Import | null>(null);
    if (result) return result;
  }
}

function report(size: number, conversations: number, first: Import, again: Import): Report {
  const check = (what: string, most: number, unit: string, measured: number): Check => ({
    what,
    accepted: `${most} ${unit}`,
    measured: `${round(measured)} ${unit}`,
    met: measured <= most,
  });
  const row = (what: string, { seconds, cpuSeconds, grown, lag }: Import) => [
    what,
    ...[seconds, cpuSeconds, grown, lag.p95, lag.p99, lag.most].map(round),
  ];
  return {
    title: "Import",
    about: `A \`conversations.json\` of ChatGPT's shape with ${round(size / megabyte)} MB and ${conversations} conversations, streamed into the use case behind \`POST /api/conversations/import\` with events, in a process of its own; then the same file again, of which nothing is stored. Memory: the most resident memory beyond that before. Lag: for how long nothing else got its turn.`,
    checks: [
      check("200 MB imported", accepted.seconds, "s", first.seconds),
      check("memory beyond that before", accepted.grown, "MB", first.grown),
      check("lag, p95", accepted.lag, "ms", first.lag.p95),
    ],
    tables: [
      {
        head: ["", "s", "CPU s", "MB", "lag p95, ms", "p99", "most"],
        rows: [row("first", first), row("again", again)],
      },
    ],
  };
}
