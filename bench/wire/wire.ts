import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerTokens } from "@/bench/disk/measure-files";
import { startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import type { Wanted } from "./application";

const rounds = 60;
const warmUp = 4;
const atOnce = 10;
const acceptedShare = 0.03;

/** What it costs to record the wire: rounds with and without, in one process, in turns. */
export async function benchWire(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  const [dataDir, config] = [join(folder, "data"), join(folder, "mcp-servers.json")];
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  const model = await startChild<string>("disk/model-server.ts");
  const app = await startChild<true>("wire/application.ts", [dataDir, config, model.ready]);
  const costs: { plain: number; recorded: number }[] = [];
  try {
    for (let at = -warmUp; at < rounds; at++) {
      const cost = { plain: 0, recorded: 0 };
      const order = at % 2 === 0 ? (["plain", "recorded"] as const) : (["recorded", "plain"] as const);
      for (const kind of order) {
        const wanted: Wanted = { answers: atOnce, recordWire: kind === "recorded" };
        cost[kind] = await app.ask<number>(wanted);
      }
      if (at >= 0) costs.push(cost);
    }
  } finally {
    await app.end();
    await model.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return report(costs);
}

function report(costs: readonly { plain: number; recorded: number }[]): Report {
  const shares = costs.map(({ plain, recorded }) => recorded / plain - 1);
  const share = median(shares);
  const percent = (value: number) => `${round(100 * value)} %`;
  const half = `${percent(quantile(shares, 0.25))} to ${percent(quantile(shares, 0.75))}`;
  return {
    title: "Recording the wire",
    about: `CPU of the application without its HTTP, threads included, for answers of ${answerTokens} tokens, 1 to 3 ms apart, to a question of 30 KB, ${atOnce} at once: ${rounds} rounds with and without recording in one process, in turns, each first in every second round. How long the end of a run waits until its recording is stored is not CPU, and not in it. What is packed in the background falls on both. The share is the median of the rounds; half of them lie between ${half}.`,
    checks: [
      {
        what: "CPU that recording adds",
        accepted: percent(acceptedShare),
        measured: percent(share),
        met: share <= acceptedShare,
      },
    ],
    tables: [
      {
        head: ["CPU of an answer", "ms, median"],
        rows: (["plain", "recorded"] as const).map((kind) => [
          kind === "plain" ? "not recorded" : "recorded",
          round(median(costs.map((cost) => cost[kind]))),
        ]),
      },
    ],
  };
}
