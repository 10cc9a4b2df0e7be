import { join } from "node:path";
import type { RunItem } from "@/lib/protocol/http";
import { apiOf } from "../support/api";
import { filesWith } from "../support/promises/stored";
import { startWatched, type WatchedApp } from "../support/promises/watched-app";
import { expect, test } from "../support/server-test";

const root = join(import.meta.dirname, "..", "..");
type Point = (typeof lanes)[number][number];

/** The points, as `lib/faults/fault-points.ts` names them, for one application each, with about as many deaths. */
const lanes = [
  ["log_write", "provider_read"],
  ["database_write", "mcp_receive", "server_spawn"],
  ["sse_write", "mcp_send"],
] as const;
/** A run of an application that has started meets none of these, and a start none of those. */
const notInRuns: readonly Point[] = ["server_spawn"];
const notInStarts: readonly Point[] = ["provider_read", "sse_write"];
const allowed = { faults: true, env: { TOOL_APPROVAL: "allow" } };
/** Each fault is a start of its own. */
test.setTimeout(480_000);
/** More than any point is met in one run or start. */
const most = 80;

for (const points of lanes) {
  test(`kill -9 at each ${points.join(", ")} of a run and of the start after it, and a failure there, breaks no promise`, async ({
    startWithModel,
    gated,
  }) => {
    const watched = await startWatched(startWithModel, gated, allowed);
    gated.open();
    await watched.ready();
    for (const point of points) {
      await killAll(watched, point);
      await failAll(watched, point);
    }
    watched.arm();
    const last = await watched.history.ask("last");
    await last?.closed;
    expect(await apiOf(watched.app).run(last?.runId ?? "")).toMatchObject({ status: "completed" });
    await watched.check("whole");
  });
}

async function killAll(watched: WatchedApp, point: Point): Promise<void> {
  const inRuns = await walk((n) => killedRun(watched, `${point}:${n}`, `${point}-${n}`));
  expect(inRuns > 0, point).toBe(!notInRuns.includes(point));
  if (notInStarts.includes(point)) return;
  await leaveOneOpen(watched, point);
  expect(await walk((n) => killedStart(watched, `${point}:${n}`)), point).toBeGreaterThan(0);
  await recover(watched);
}

async function failAll(watched: WatchedApp, point: Point): Promise<void> {
  const inRuns = await walk((n) => failedRun(watched, `${point}:${n}:fail`, `${point}-${n}-fails`));
  expect(inRuns > 0, point).toBe(!notInRuns.includes(point));
  if (!notInRuns.includes(point)) return;
  await failedStart(watched, `${point}:1:fail`);
}

test("the build that people run has none of them", () => {
  const names = [...lanes.flat(), "MEGURI_FAULTS", "meguri.fault"];
  const inBuild = (dist: string) =>
    ["server", "static"]
      .flatMap((folder) => filesWith(join(root, dist, folder), names))
      // Beside the code they hold what it was made from.
      .filter((path) => !path.endsWith(".map"));
  expect(inBuild(".next-faults")).not.toEqual([]);
  expect(inBuild(process.env.E2E_DIST_DIR || ".next-test")).toEqual([]);
});

/** n = 1, 2, … until the fault is not met; returns how often it was. */
async function walk(step: (n: number) => Promise<boolean>): Promise<number> {
  for (let n = 1; n < most; n++) if (!(await step(n))) return n - 1;
  throw new Error(`Still met after ${most} times: a run must come to an end.`);
}

/** Asks, and is killed on the way; whether it was. */
async function killedRun(watched: WatchedApp, fault: string, text: string): Promise<boolean> {
  const { history } = watched;
  watched.arm(fault);
  const asked = await history.ask(text).catch(() => undefined);
  await asked?.closed;
  // What is written after the end of a run may be what is met.
  await watched.quiet().catch((cause) => {
    if (!watched.isMet()) throw cause;
  });
  if (!(await watched.isMetSoon())) {
    expect(watched.isAlive()).toBe(true);
    return false;
  }
  await recover(watched);
  return true;
}

/**
 * Starts again without faults where it has died, looks at everything, and lets go on what was cut short: once, and with a
 * person's yes.
 */
async function recover(watched: WatchedApp): Promise<void> {
  const { app, history } = watched;
  const isDead = watched.isMet();
  watched.arm();
  if (isDead) await app.restart();
  await watched.check();
  await watched.ready();
  const api = apiOf(app);
  const { items } = await api.get<{ items: { id: string }[] }>("/api/conversations?limit=1");
  const newest = items[0] && (await api.conversation(items[0].id)).runs.at(-1);
  if (newest?.status !== "interrupted") return;
  await finish(watched, await runIdOf(await history.resume(newest.id)));
}

/** Reads a run to its end; where it asks whether a call is to go again, it is. */
async function finish(watched: WatchedApp, runId: string): Promise<void> {
  const { app, history } = watched;
  await (await history.follow(runId)).closed;
  const run: RunItem = await apiOf(app).run(runId);
  if (run.status === "completed") return;
  expect(run, "P3: only an unknown outcome is asked about").toMatchObject({
    status: "waiting",
    pending: [{ reason: "outcome_unknown" }],
  });
  const { requestId } = run.pending[0] ?? {};
  await finish(watched, await runIdOf(await history.answer(runId, { requestId, decision: "retry" })));
}

const runIdOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { runId: string }).runId;

/** Leaves a run behind that the next start has to end. */
async function leaveOneOpen({ app, arm, history, gated }: WatchedApp, point: Point): Promise<void> {
  const key = `${point}-left-open`;
  arm();
  gated.close();
  await history.ask(key);
  await expect.poll(() => gated.lines().some(({ args }) => args?.key === key)).toBe(true);
  await app.kill9();
  gated.open();
}

/** Starts, with the MCP server, and is killed on the way; whether it was. */
async function killedStart(watched: WatchedApp, fault: string): Promise<boolean> {
  watched.arm(fault);
  await watched.app
    .restart()
    .then(watched.ready)
    .catch((cause) => {
      if (!watched.isMet()) throw cause;
    });
  return watched.isMetSoon();
}

/** A start at which the MCP server cannot be started: it is ready all the same, and tries again by itself. */
async function failedStart(watched: WatchedApp, fault: string): Promise<void> {
  watched.arm(fault);
  await watched.app.restart();
  await expect.poll(watched.isMet).toBe(true);
  await watched.ready();
}

/** Asks while something fails; whether it did. Whatever becomes of the run, it has one end, with a reason. */
async function failedRun(watched: WatchedApp, fault: string, text: string): Promise<boolean> {
  const { app, history } = watched;
  watched.arm(fault);
  // A connection that is cut before its first byte has promised nothing.
  const asked = await history.ask(text).catch(() => undefined);
  await asked?.closed;
  await watched.quiet();
  const wasMet = await watched.isMetSoon();
  watched.arm();
  await watched.ready();
  if (asked) {
    await (await history.follow(asked.runId)).closed;
    const run = await apiOf(app).run(asked.runId);
    expect(["completed", "failed", "waiting"]).toContain(run.status);
    if (!wasMet) expect(run.status).toBe("completed");
    if (run.status === "failed")
      expect(run.error).toMatchObject({ code: expect.not.stringMatching("internal") });
  }
  await watched.check();
  return wasMet;
}
