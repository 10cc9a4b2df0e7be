import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import type { ContestantName, Round } from "./contestant";
import { type Row, textTokens, toolTurns } from "./rows";

const rounds = 9;
const warmUps = 2;
/** Conversations of one round: a few hundred ms of CPU time each. */
const times: Record<Row, number> = { turns: 20, tokens: 5 };

type Contestants = Map<ContestantName, Child<string>>;

/** The loop against what it replaces: CPU ms of each contestant's own process, medians of interleaved rounds. */
export async function benchLoop(): Promise<Report> {
  const model = await startChild<string>("loop/model-server.ts");
  const mcp = await startChild<string>("loop/mcp-server.ts");
  const contestants: Contestants = new Map();
  try {
    for (const name of ["floor", "ours", "AI SDK", "bare doStream"] as const)
      contestants.set(
        name,
        await startChild("loop/contestant.ts", [name, model.ready, mcp.ready], ["--expose-gc"]),
      );
    const turns = await race("turns", ["floor", "ours", "AI SDK"], contestants);
    const tokens = await race("tokens", ["floor", "bare doStream", "ours", "AI SDK"], contestants);
    return report(turns, tokens);
  } finally {
    await Promise.all([model, mcp, ...contestants.values()].map((child) => child.end()));
  }
}

type Medians = Partial<Record<ContestantName, number>>;

async function race(row: Row, names: readonly ContestantName[], contestants: Contestants): Promise<Medians> {
  const taken = new Map<ContestantName, number[]>(names.map((name) => [name, []]));
  for (let count = 0; count < warmUps + rounds; count++) {
    for (const name of names) {
      const round: Round = { row, times: times[row] };
      const ms = await contestants.get(name)?.ask<number>(round);
      if (ms !== undefined && count >= warmUps) taken.get(name)?.push(ms);
    }
  }
  return Object.fromEntries([...taken].map(([name, values]) => [name, median(values)]));
}

function report(turns: Medians, tokens: Medians): Report {
  const ratio = (row: Medians, of: ContestantName, to: ContestantName) =>
    (row[of] ?? Number.NaN) / (row[to] ?? 1);
  const check = (what: string, most: number, measured: number) => ({
    what,
    accepted: `${most} ×`,
    measured: `${measured.toFixed(2)} ×`,
    met: measured <= most,
  });
  const names: ContestantName[] = ["floor", "bare doStream", "ours", "AI SDK"];
  return {
    title: "The loop",
    about: `The same scripted model over HTTP and the same MCP server over Streamable HTTP, both in processes of their own. Floor: fetch, an SSE parser and \`callTool\`, written by hand. Ours: \`executeWithToolsStream\` with adapter, connection pool and wrappers as the application puts them together. AI SDK: \`streamText\` with tools that call the same MCP client. CPU time of each contestant's own process for one conversation, medians of ${rounds} interleaved rounds.`,
    checks: [
      check(`${toolTurns} tool turns: ours to the floor`, 1.3, ratio(turns, "ours", "floor")),
      check(`${textTokens} tokens: ours to bare doStream`, 1.5, ratio(tokens, "ours", "bare doStream")),
      check(`${textTokens} tokens: ours to streamText (goal)`, 0.6, ratio(tokens, "ours", "AI SDK")),
    ],
    tables: [
      {
        head: [
          "",
          `${toolTurns} tool turns, CPU ms`,
          "to the floor",
          `${textTokens} tokens, CPU ms`,
          "to the floor",
          "µs a token",
        ],
        rows: names.map((name) => [
          name,
          round(turns[name] ?? Number.NaN),
          round(ratio(turns, name, "floor")),
          round(tokens[name] ?? Number.NaN),
          round(ratio(tokens, name, "floor")),
          round(((tokens[name] ?? Number.NaN) * 1_000) / textTokens),
        ]),
      },
    ],
  };
}
