import type { Check, Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import { aboveDirect, backToBack, type FirstToken, oneASecond, shortRuns } from "./first-token";
import { aboveMessage, type Forks, forksMeasured } from "./forks";
import { type Load, type Loads, mostAtOnce, startGapMs } from "./loads";
import type { Starts } from "./starts";
import { tokensASecond } from "./timing";
import type { Way } from "./ways";

interface ServerFigures {
  first: FirstToken;
  forks: Forks;
  loads: Loads;
  starts: Starts;
}

export function writeServerReport(figures: ServerFigures): Report {
  const { first, loads, starts } = figures;
  return {
    title: "The server",
    about: `The built application between two processes that ask and a model server, each a process of its own, with the three default MCP servers connected. A token carries the time at which the model server wrote it. Direct: the same clients ask the model server itself. Bare route: a route of a Next application that has nothing else and passes the model's answer on (\`bench/bare\`). Relay: the least that a process of Node between the two does, \`node:http\` to both sides and a pipe; nothing is parsed, checked or kept (\`bench/server/relay.ts\`). First token: questions in new conversations, one at a time: ${backToBack} back to back in turns of 40, and ${oneASecond} at one chat a second. A fork: after a round of calls, ${forksMeasured} of them in turn with as many messages; its first token comes with a second request. Load: so many answers at once, a new one every ${startGapMs} ms, ${tokensASecond} tokens a second each, for 8 s (390: 10 s, ${mostAtOnce}: 20 s), 3 rounds (${mostAtOnce}: 2) in turn with the relay and with direct ones; medians of the rounds. CPU a token: of the application and of the relay, begin and end of the runs taken off, as ${shortRuns} answers of one token take for them just before the load. Memory: resident, before the first load (warm), the most during each, and 30 s after the last, with a health check each second. Everything runs on the same cores: what the askers and the model's server take of one is named. Starts: \`npm start\` on the finished build until \`/\` answers 200, with an empty data folder, again, and with ${starts.conversations} conversations; medians of ${starts.first.length}.`,
    checks: checksOf(figures),
    tables: [loadTable(loads), firstTable(first), applicationTable(loads, starts, first)],
  };
}

const beside = (ours: number, direct: number) => `${round(ours)} (${round(direct)})`;

const loadTable = ({ loads }: Loads) => ({
  head: [
    "runs at once",
    "lost",
    "first token, p50 ms (direct)",
    "p95 (direct)",
    "token lag, p50 ms (direct)",
    "p95 (direct)",
    "p99",
    "CPU µs a token (relay)",
    "bytes a token",
    "memory, MB",
    "askers, % of a core (direct)",
    "model, % of a core (direct)",
  ],
  rows: loads.map(({ size, ours, direct, cpuUsPerToken, relayUsPerToken, busyMb }) => [
    String(size),
    ours.lost.length === 0 ? "0" : `${ours.lost.length}: ${ours.lost[0]}`,
    beside(ours.firstP50, direct.firstP50),
    beside(ours.firstP95, direct.firstP95),
    beside(ours.lagP50, direct.lagP50),
    beside(ours.lagP95, direct.lagP95),
    round(ours.lagP99),
    beside(cpuUsPerToken, relayUsPerToken),
    round(ours.bytesPerToken),
    round(busyMb),
    beside(ours.clientsCpu, direct.clientsCpu),
    beside(ours.modelCpu, direct.modelCpu),
  ]),
});

const firstTable = ({ backToBack: fast, oneASecond: slow }: FirstToken) => ({
  head: ["first token, ms", "direct p50", "p95", "bare route p50", "p95", "ours p50", "p95"],
  rows: Object.entries({ "back to back": fast, "one chat a second": slow }).map(([title, times]) => [
    title,
    ...(["direct", "bare route", "ours"] satisfies Way[]).flatMap((way) => [
      round(median(times[way])),
      round(quantile(times[way], 0.95)),
    ]),
  ]),
});

const applicationTable = ({ loads, idleMb, restedMb }: Loads, starts: Starts, { aRunMs }: FirstToken) => ({
  head: ["the application", ""],
  rows: [
    ["CPU of a run's begin and end, ms", round(aRunMs.ours)],
    ...loads.map(({ size, aRunMs: now }) => [`the same before the load of ${size}, ms`, round(now)]),
    ["of an answer's at the bare route, ms", round(aRunMs["bare route"])],
    ["of an answer's at the relay, ms", round(aRunMs.relay)],
    ["memory before the loads, MB", round(idleMb)],
    ["memory 30 s after them, MB", round(restedMb)],
    ["first start to the first 200, ms", round(median(starts.first))],
    ["second start to the first 200, ms", round(median(starts.second))],
    [`a start with ${starts.conversations} conversations, ms`, round(median(starts.full))],
  ],
});

function checksOf({ first, forks, loads: { loads, idleMb, restedMb }, starts }: ServerFigures): Check[] {
  const at = (size: number): Load => {
    const load = loads.find((one) => one.size === size);
    if (!load) throw new Error(`No load of ${size} was measured.`);
    return load;
  };
  const kept = (restedMb / idleMb - 1) * 100;
  const most = at(mostAtOnce);
  const lost = loads.reduce((sum, { ours }) => sum + ours.lost.length, 0);
  return [
    check("first token above direct, one chat a second, p50", 5, aboveDirect(first.oneASecond, "ours"), "ms"),
    check("first token above direct, back to back, p50", 2.4, aboveDirect(first.backToBack, "ours"), "ms"),
    check("first token of a fork above that of a chat message, p50 (goal)", 10, aboveMessage(forks), "ms"),
    check("token lag above direct with 1 run, p95", 0.5, at(1).ours.lagP95 - at(1).direct.lagP95, "ms"),
    check("token lag with 390 runs, p95", 20, at(390).ours.lagP95, "ms"),
    check("first token with 390 runs, p95", 100, at(390).ours.firstP95, "ms"),
    check("CPU a token with 200 runs", 45, at(200).cpuUsPerToken, "µs"),
    check(`CPU a token with ${mostAtOnce} runs`, 30, most.cpuUsPerToken, "µs"),
    check("CPU of a run's begin and end", 2.5, first.aRunMs.ours, "ms"),
    check("answers lost", 0, lost, ""),
    check(`token lag with ${mostAtOnce} runs, p95`, 100, most.ours.lagP95, "ms"),
    check(`memory with ${mostAtOnce} runs`, 500, most.busyMb, "MB"),
    check("memory kept after the loads", 20, kept, "%"),
    check("second start to the first 200", 2_000, median(starts.second), "ms"),
    check(`a start with ${starts.conversations} conversations`, 2_000, median(starts.full), "ms"),
  ];
}

const check = (what: string, most: number, measured: number, unit: string): Check => ({
  what,
  accepted: `${most} ${unit}`.trim(),
  measured: `${unit ? round(measured) : measured} ${unit}`.trim(),
  met: measured <= most,
});
