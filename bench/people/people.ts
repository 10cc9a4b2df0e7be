import { loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { cpuMs } from "@/bench/server/process-load";
import { buildApp, startBenchApp } from "@/bench/support/app";
import { startChild } from "@/bench/support/child";
import { fillStore } from "@/bench/support/fill-store";
import type { Check, Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import {
  type Act,
  type Asker,
  actNames,
  answerTokens,
  cpuRounds,
  type Entry,
  type Filled,
  measureSignIn,
  processes,
  raceAnswers,
  raceRequests,
  signIns,
  type Times,
} from "./races";
import { signIn, signUpPeople } from "./visitors";

const people = 500;
const conversationsEach = 200;
/** Of all people those who ask, in turns. */
const visitors = 10;
const longestIdleMs = 15 * 60_000;
const accepted = { ratio: 1.1, signInMs: 100, cpu: 0.05 };

type Start = (env?: Record<string, string>) => Promise<App>;

/** What a request costs in an installation of many people beside one of one, what signing in costs, and what accounts cost an answer. */
export async function benchPeople(): Promise<Report> {
  await buildApp();
  const load = loadavg()[0] ?? 0;
  const model = await startChild<{ url: string }>("server/model-server.ts");
  const apps: App[] = [];
  const start: Start = async (env = {}) => {
    const app = await startBenchApp(model.ready.url, { DEFAULT_MODEL: "openai/test-model", ...env }, {});
    apps.push(app);
    return app;
  };
  try {
    const [one, same, many] = [await fill(start, 1), await fill(start, 1), await fill(start, people)];
    for (const { app } of [one, same, many]) await idle(app);
    const requests = await raceRequests({ one, same, many });
    const entry = await measureSignIn(many);
    for (const { app } of [same, many]) await app.stop();
    const cpu = await raceAnswers({
      accounts: askerOf(one),
      local: localAsker(await start()),
      same: localAsker(await start()),
    });
    return report({ requests, entry, cpu, load });
  } finally {
    for (const app of apps) await app.dispose();
    await model.end();
  }
}

/** An installation in which each of so many people has as many conversations. */
async function fill(start: Start, count: number): Promise<Filled> {
  console.log(`  ${count === 1 ? "one person" : `${count} people`} with ${conversationsEach} conversations`);
  const app = await start({ AUTH: "accounts" });
  const all = await signUpPeople(app, count);
  await app.stop();
  await fillStore(app.dataDir, count * conversationsEach, {
    people: all.map(({ id }) => id),
    withLogs: false,
  });
  await app.restart();
  const gap = Math.max(1, Math.floor(count / visitors));
  const asking: Filled["visitors"] = [];
  for (const [index, person] of all.entries())
    if (index % gap === 0 && asking.length < visitors)
      asking.push({
        who: await signIn(app, person),
        rare: `Question ${(conversationsEach - 1) * count + index + 1}`,
      });
  return { app, visitors: asking };
}

/** Resolves when what a start brings up to date, as logs that are packed, is done: nobody fills a database at once. */
async function idle({ pid }: App): Promise<void> {
  const until = performance.now() + longestIdleMs;
  for (let quiet = 0; quiet < 5; ) {
    if (performance.now() > until) throw new Error("The application has not come to rest.");
    const before = cpuMs(pid);
    await wait(1_000);
    quiet = cpuMs(pid) - before < 50 ? quiet + 1 : 0;
  }
}

function askerOf({ app, visitors: [first] }: Filled): Asker {
  if (!first) throw new Error("Nobody is signed in.");
  return { app, ask: (body) => first.who.fetch("/api/chat", body) };
}

const localAsker = (app: App): Asker => ({
  app,
  ask: (body) =>
    app.fetch("/api/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
});

interface Figures {
  requests: Record<Act, Times>;
  entry: Entry;
  cpu: Record<"accounts" | "local" | "same", number[]>;
  load: number;
}

function report({ requests, entry, cpu, load }: Figures): Report {
  const above = quantile(entry.signInMs, 0.95) - quantile(entry.hashMs, 0.95);
  const more = median(cpu.accounts) / median([...cpu.local, ...cpu.same]) - 1;
  const spread = Math.abs(median(cpu.same) / median(cpu.local) - 1);
  return {
    title: "Many people",
    about: `The built application with \`AUTH=accounts\`: ${people} people with ${conversationsEach} conversations each, ${people * conversationsEach} in all, ${visitors} of whom ask in turns, beside an installation of one person with ${conversationsEach}, and one more like it (*the same again*), which tells how far two of the same lie apart. Requests over HTTP, one at a time, at all three in turns, ${processes} processes of each one after the other. Signing in: with a password, beside the hash of a password alone (scrypt) in turns with it, ${signIns} times each. CPU of an answer of ${answerTokens} tokens: one person with accounts against two contestants with \`AUTH=local\`, ${cpuRounds} rounds in turns, in three processes of each, one after the other; those two differ by ${percent(spread)}. Load average at the beginning: ${round(load)}.`,
    tables: [
      {
        head: ["median (p95), ms", "one person", "the same again", `one of ${people}`],
        rows: actNames.map((name) => [
          name,
          ...(["one", "same", "many"] as const).map((place) => inWords(requests[name][place])),
        ]),
      },
      {
        head: ["median (p95), ms", ""],
        rows: [
          ["signing in", inWords(entry.signInMs)],
          ["the hash alone", inWords(entry.hashMs)],
        ],
      },
      {
        head: ["CPU of an answer", "ms, median"],
        rows: [
          ["`AUTH=local`", round(median(cpu.local))],
          ["`AUTH=local`, another process", round(median(cpu.same))],
          ["`AUTH=accounts`", round(median(cpu.accounts))],
        ],
      },
    ],
    checks: [
      ...actNames.map((name) => checkRequest(name, requests[name])),
      {
        what: "signing in, p95, above that of the hash",
        accepted: `${accepted.signInMs} ms`,
        measured: `${round(above)} ms`,
        met: above <= accepted.signInMs,
      },
      {
        what: "CPU of an answer with accounts, more than without",
        accepted: percent(Math.max(accepted.cpu, spread)),
        measured: percent(more),
        met: more <= Math.max(accepted.cpu, spread),
      },
    ],
  };
}

/** What two of the same differ by is no difference. */
function checkRequest(name: Act, { one, same, many }: Times): Check {
  const ratio = median(many) / median(one);
  const spread = median(same) / median(one);
  const atMost = Math.max(accepted.ratio, spread, 1 / spread);
  return {
    what: `${name}, to that of one person`,
    accepted: round(atMost),
    measured: round(ratio),
    met: ratio <= atMost,
  };
}

const inWords = (ms: readonly number[]) => `${round(median(ms))} (${round(quantile(ms, 0.95))})`;
const percent = (value: number) => `${round(100 * value)} %`;
