import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import type { ContestantName, Round } from "./contestant";
import { type Row, textTokens, toolTurns } from "./rows";

const names: readonly ContestantName[] = ["floor", "bare doStream", "ours", "AI SDK"];
const rounds = 15;
/** Conversations of one round: a few hundred ms of CPU time. */
const times: Record<Row, number> = { turns: 10, tokens: 4 };
/** Before the first round, until everything is compiled: a server does not stay cold. */
const warmUps: Record<Row, number> = { turns: 150, tokens: 12 };

type Contestants = Map<ContestantName, Child<string>>;

/** The loop against what it replaces: CPU ms of each contestant's own process, medians of interleaved rounds. */
export async function benchLoop(): Promise<Report> {
  const model = await startChild<string>("loop/model-server.ts");
  const mcp = await startChild<string>("loop/mcp-server.ts");
  const contestants: Contestants = new Map();
  try {
    for (const name of names)
      contestants.set(
        name,
        await startChild("loop/contestant.ts", [name, model.ready, mcp.ready], ["--expose-gc"]),
      );
    const turns = await race("turns", contestants);
    const tokens = await race("tokens", contestants);
    return report(turns, tokens);
  } finally {
    await Promise.all([model, mcp, ...contestants.values()].map((child) => child.end()));
  }
}

/** CPU ms of one conversation in each round. */
type Times = Partial<Record<ContestantName, number[]>>;

async function race(row: Row, contestants: Contestants): Promise<Times> {
  const ask = async (name: ContestantName, round: Round) =>
    (await contestants.get(name)?.ask<number>(round)) ?? Number.NaN;
  for (const name of names) await ask(name, { row, times: warmUps[row] });
  const taken: Times = Object.fromEntries(names.map((name) => [name, []]));
  for (let count = 0; count < rounds; count++)
    for (const name of names) taken[name]?.push(await ask(name, { row, times: times[row] }));
  return taken;
}

/** Within each round, since the machine is not equally quiet in all of them. */
function ratio(row: Times, of: ContestantName, to: ContestantName): number {
  const base = row[to] ?? [];
  return median((row[of] ?? []).map((ms, round) => ms / (base[round] ?? Number.NaN)));
}

function report(turns: Times, tokens: Times): Report {
  const check = (what: string, most: number, measured: number) => ({
    what,
    accepted: `${most} ×`,
    measured: `${measured.toFixed(2)} ×`,
    met: measured <= most,
  });
  return {
    title: "The loop",
    about: `The same scripted model over HTTP and the same MCP server over Streamable HTTP, both in processes of their own. Floor: fetch, an SSE parser and \`callTool\`, written by hand; bare doStream: the same on the adapter of the AI SDK that ours uses. Ours: \`executeWithToolsStream\` with adapter, connection pool and wrappers as the application puts them together. AI SDK: \`streamText\` with tools that call the same MCP client. CPU time of each contestant's own process for one conversation after a warm-up; medians of ${rounds} interleaved rounds, of the ratios within each.`,
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
          round(median(turns[name] ?? [])),
          ratio(turns, name, "floor").toFixed(2),
          round(median(tokens[name] ?? [])),
          ratio(tokens, name, "floor").toFixed(2),
          round((median(tokens[name] ?? []) * 1_000) / textTokens),
        ]),
      },
    ],
  };
}
