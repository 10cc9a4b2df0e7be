import { loadavg } from "node:os";
import { cpuMs, residentMb } from "@/bench/server/process-load";
import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import type { NewApiToken } from "@/lib/protocol/api-tokens";
import type { CrowdAnswer, Endpoint } from "./caller";
import { raceWires, type Wires, wiresReport } from "./openai";
import { serverHeapMb } from "./server-heap";

/** Of a process that has just been started … */
const fresh = { warmUps: 200, calls: 500 };
/** … and of one that V8 has compiled, which takes it some thousand calls. */
const warm = { warmUps: 500, calls: 1_000 };
const crowd = { clients: 100, calls: 10 };
const sessions = 1_000;
const accepted = { ratio: 1.5, moreMs: 2, heapMb: 50, residentMb: 120 };

/** The built application between programs and an MCP server, each a process of its own. */
export async function benchGateway(): Promise<Report> {
  await buildApp();
  const load = loadavg()[0] ?? 0;
  const tools = await startChild<string>("loop/mcp-http.ts");
  const caller = await startChild<string>("gateway/caller.ts");
  const model = await startChild<{ url: string }>("server/model-server.ts");
  const asker = await startChild<string>("server/load-client.ts");
  const direct = { url: `${tools.ready}/few` };
  const app = await startBenchApp(model.ready.url, {}, { bench: { type: "http", url: direct.url } });
  try {
    await serversSettled(app);
    const measured = await measure({ app, caller, tools, direct });
    const asks = await newToken(app, { name: "A program that asks", scopes: ["chat"] });
    const wires = await raceWires(app, asks, asker);
    return report({ ...measured, ...(await measureSessions({ app, caller })), wires, load });
  } finally {
    await app.dispose();
    await Promise.all([caller, tools, model, asker].map((child) => child.end()));
  }
}

interface Rig {
  app: App;
  caller: Child<string>;
  tools: Child<string>;
  direct: Endpoint;
}

async function measure({ app, caller, tools, direct }: Rig) {
  const gateway = await gatewayOf(app);
  console.log("  one call at a time");
  const race = (how: typeof fresh) =>
    caller.ask<number[][]>({ does: "race", endpoints: [direct, gateway], ...how });
  const [directAtFirst = [], gatewayAtFirst = []] = await race(fresh);
  const [directMs = [], gatewayMs = []] = await race(warm);
  console.log("  many clients at once");
  const before = { cpu: cpuMs(app.pid), ...(await tools.ask<{ calls: number }>({})) };
  const crowded = await caller.ask<CrowdAnswer>({ does: "crowd", endpoint: gateway, ...crowd });
  const { calls: arrived } = await tools.ask<{ calls: number }>({});
  const cpu = cpuMs(app.pid) - before.cpu;
  return { directAtFirst, gatewayAtFirst, directMs, gatewayMs, crowded, arrived, cpu };
}

async function measureSessions({ app, caller }: Pick<Rig, "app" | "caller">) {
  console.log("  sessions that nobody uses");
  const gateway = await gatewayOf(app);
  const begin = (count: number, isTold: boolean) =>
    caller.ask({ does: "begin", endpoint: gateway, sessions: count, isTold });
  for (const isTold of [false, true]) await begin(50, isTold);
  const before = await held(app);
  await begin(sessions, false);
  const idle = await held(app);
  await begin(sessions, true);
  const told = await held(app);
  return { idle: more(before, idle), told: more(idle, told) };
}

type Held = Awaited<ReturnType<typeof held>>;

const more = (before: Held, after: Held): Held => ({
  heapMb: after.heapMb - before.heapMb,
  residentMb: after.residentMb - before.residentMb,
});

const gatewayOf = async (app: App): Promise<Endpoint> => ({
  url: `${app.baseUrl}/mcp`,
  token: await newToken(app, { name: "A program", scopes: ["mcp"], servers: ["bench"], names: "plain" }),
});

const held = async ({ pid }: App) => ({ heapMb: await serverHeapMb(pid), residentMb: residentMb(pid) });

async function newToken(app: App, asked: object): Promise<string> {
  const answer = await app.fetch("/api/tokens", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...asked, expiresAt: null }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return ((await answer.json()) as NewApiToken).value;
}

type Figures = Awaited<ReturnType<typeof measure>> & Awaited<ReturnType<typeof measureSessions>>;

function report(figures: Figures & { wires: Wires; load: number }): Report {
  const { directAtFirst, gatewayAtFirst, directMs, gatewayMs, crowded, arrived, cpu, idle, told, load } =
    figures;
  const wires = wiresReport(figures.wires);
  const all = crowd.clients * crowd.calls;
  const atMost = accepted.ratio * median(directMs) + accepted.moreMs;
  const lost = Math.max(crowded.lost.length, all - arrived);
  return {
    title: "The gateway",
    about: `Tools of an MCP server over Streamable HTTP, called by the client of the SDK directly and through \`/mcp\` of the built application, in turns: ${fresh.calls} times each after ${fresh.warmUps} (“at first”), and ${warm.calls} times after ${warm.warmUps} more, when V8 has compiled what it runs; each call through the gateway is a run with a log on SQLite. At once: ${crowd.clients} clients with ${crowd.calls} calls each. Sessions: ${sessions} are begun, list their tools and are left, without an open stream, and as many with one each, as the client of the SDK has it; what the process holds more afterwards, the heap after a collection. ${wires.about} Whoever asks and answers and the application share the cores. Load average at the beginning: ${round(load)}.`,
    tables: [
      {
        head: ["a call, ms", "p50", "p95"],
        rows: [
          ["direct, at first", ...spread(directAtFirst)],
          ["through the gateway, at first", ...spread(gatewayAtFirst)],
          ["direct", ...spread(directMs)],
          ["through the gateway", ...spread(gatewayMs)],
        ],
      },
      {
        head: [`${crowd.clients} clients, ${crowd.calls} calls each at once`, ""],
        rows: [
          ["calls a second", round((1_000 * all) / crowded.ms)],
          ["CPU of the application for a call with its share of connecting, ms", round(cpu / all)],
          ...[...new Set(crowded.lost)].slice(0, 3).map((why) => ["lost", why]),
        ],
      },
      wires.table,
    ],
    checks: [
      {
        what: `a call through the gateway, p50, to ${accepted.ratio} × the direct one and ${accepted.moreMs} ms`,
        accepted: `${round(atMost)} ms`,
        measured: `${round(median(gatewayMs))} ms`,
        met: median(gatewayMs) <= atMost,
      },
      {
        what: `lost of ${all} calls at once`,
        accepted: "0",
        measured: String(lost),
        met: lost === 0,
      },
      ...wires.checks,
      checkMb(`${sessions} idle sessions, heap`, accepted.heapMb, idle.heapMb),
      checkMb(`${sessions} idle sessions, resident`, accepted.residentMb, idle.residentMb),
      checkMb(`${sessions} idle sessions with a stream each, heap`, accepted.heapMb, told.heapMb),
      checkMb(`${sessions} idle sessions with a stream each, resident`, accepted.residentMb, told.residentMb),
    ],
  };
}

const spread = (ms: readonly number[]) => [round(median(ms)), round(quantile(ms, 0.95))];

const checkMb = (what: string, atMost: number, measured: number) => ({
  ...{ what, accepted: `${atMost} MB`, measured: `${round(measured)} MB` },
  met: measured <= atMost,
});
