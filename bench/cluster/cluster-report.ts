import type { Check, Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import { type ClusterFigures, dying, flat, full, type Lags, remote, stopped } from "./figures";

export function writeClusterReport(figures: ClusterFigures): Report {
  const { first, lags, redis, stops, deaths, chunksASecond } = figures;
  return {
    title: "Several instances",
    about: `Two instances of the built application on one PostgreSQL that survives power cuts, without Redis where nothing else is said, with an embedded one, the model's server and the readers on the same cores. First token: ${first.cluster.length} questions each, one at a time, embedded and in the cluster in turn. As fast as it goes: one answer of ${flat.tokens.toLocaleString("en-US")} tokens whose model never waits, until its end is read; the least of ${flat.rounds}. Lag: ${remote.size} answers at 20 tokens a second are begun at one instance and read at the other, from the model's writing of a token to the reading of it, without the first second of each, in which its reader comes; medians of ${remote.rounds} rounds; for Redis both instances begin anew, and a first round is not counted; it is killed some seconds after the answers have begun, and started again for the next round; ${full.size} answers of one instance are read where they are written, ${full.rounds} rounds. Stop: ${stopped} answers are stopped through the other instance. Deaths: ${dying.runs} answers are being written by an instance that is killed, or paused; until the last of them has its end; the most of ${dying.rounds}.`,
    checks: checksOf(figures),
    tables: [
      {
        head: ["", "p50", "p95", "p99"],
        rows: [
          ["first token, embedded, ms", ...spread(first.embedded)],
          ["first token, cluster, ms", ...spread(first.cluster)],
          ["lag at the other instance, ms", ...spreadOf(lags)],
          ...(redis.up.length > 0 ? [["the same with Redis, ms", ...spreadOf(redis.up)]] : []),
          ...(redis.killed.length > 0
            ? [["the same while Redis is killed, ms", ...spreadOf(redis.killed)]]
            : []),
          [`lag with ${full.size} answers of one instance, ms`, ...spreadOf(figures.full)],
          ["Stop through the other instance, ms", ...spread(stops)],
        ],
      },
      {
        head: ["rounds", "", "", ""],
        rows: [
          ["chunks a second of one answer", ...chunksASecond.map(round)],
          ["all ended after kill -9, ms", ...deaths.killed.map(round)],
          ["all ended after SIGSTOP, ms", ...deaths.paused.map(round)],
        ],
      },
    ],
  };
}

const spread = (values: readonly number[]) =>
  [0.5, 0.95, 0.99].map((share) => round(quantile(values, share)));

const spreadOf = (lags: readonly Lags[]) => [0.5, 0.95, 0.99].map((share) => round(lagOf(lags, share)));

const lagOf = (lags: readonly Lags[], share: number) =>
  median(lags.map(({ sorted }) => (sorted[Math.floor(share * sorted.length)] ?? Number.NaN) / 1_000));

function checksOf(figures: ClusterFigures): Check[] {
  const { first, lags, redis, stops, deaths, chunksASecond } = figures;
  const lost = [...lags, ...redis.up, ...redis.killed, ...figures.full].flatMap((one) => one.lost);
  const most = (what: string, value: number, limit: number, unit = "ms"): Check => ({
    what,
    accepted: `${limit.toLocaleString("en-US")} ${unit}`,
    measured: `${round(value)} ${unit}`,
    met: value <= limit,
  });
  const slowest = Math.min(...chunksASecond);
  return [
    most("first token above the embedded default, p50", median(first.cluster) - median(first.embedded), 8),
    {
      what: "chunks a second of one answer, at least",
      ...{ accepted: "5,000", measured: Math.round(slowest).toLocaleString("en-US"), met: slowest >= 5_000 },
    },
    most(`lag at the other instance, ${remote.size} answers, p95`, lagOf(lags, 0.95), 80),
    most("the same, p99", lagOf(lags, 0.99), 100),
    ...(redis.up.length > 0
      ? [
          most("the same with Redis, p95", lagOf(redis.up, 0.95), 50),
          most("the same with Redis, p99", lagOf(redis.up, 0.99), 100),
          most("the same while Redis is killed, p95", lagOf(redis.killed, 0.95), 700),
        ]
      : []),
    most(`lag with ${full.size} answers of one instance, p99`, lagOf(figures.full, 0.99), 100),
    most("answers that did not come whole", lost.length, 0, lost[0] ?? ""),
    most("Stop through the other instance, p95", quantile(stops, 0.95), 100),
    most("the same, the longest", Math.max(...stops), 1_000),
    most("every run of an instance that was killed has its end", Math.max(...deaths.killed), 8_000),
    most("every run of an instance that was paused has its end", Math.max(...deaths.paused), 10_000),
  ];
}
