import { expect, onTestFinished, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { SavedLogin } from "@/lib/mcp/oauth/login-store";
import { consent } from "@/lib/mcp/testing/consent";
import { TestLoginMemory } from "@/lib/mcp/testing/login-memory";
import { startProtectedServer } from "@/lib/mcp/testing/oauth-server";
import { openPool } from "@/lib/mcp/testing/test-pool";
import type { ToolCallId } from "@/lib/protocol/ids";
import {
  ask,
  ended,
  historyOf,
  kindsOf,
  nextOf,
  questionsOf,
  user,
  waitingFor,
} from "@/lib/server/testing/run-kit";
import { openWorld, type Process, type Script, startProcess, type World } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { recoverRuns } from "./recover-runs";
import { answerSignIns, followSignIns } from "./sign-in-answers";

const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
const calls = (...ids: string[]) => [...ids.map((id) => call(id, "remote__echo")), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];

/** A server that a person has signed in to and whose tokens are worth nothing any more; a process that follows sign-ins. */
async function startSpoilt(script: Script) {
  const server = await startProtectedServer();
  onTestFinished(() => server.close());
  const memory = new TestLoginMemory();
  const world = await openWorld(script);
  const open = async (folder?: string, approved?: Map<string, string>) => {
    const tools = await openPool(
      { remote: { url: server.url } },
      {
        ...{ privateHosts: [new URL(server.issuer).host], logins: { redirectUrls: [redirectUrl], memory } },
        ...(folder && { folder }),
        ...(approved && { approved }),
      },
    );
    return { ...tools, follow: (app: Process) => onTestFinished(followSignIns(app)) };
  };
  const tools = await open();
  await tools.settled("remote");
  await signIn({ ...world, tools });
  return { world: { ...world, tools }, server, kept: memory.kept, open };
}

async function signIn({ tools }: Pick<World, "tools">): Promise<void> {
  const page = await tools.pool.signIns.begin("remote", redirectUrl);
  await tools.pool.signIns.finish((await consent(page, redirectUrl)).searchParams);
  await tools.ready("remote");
}

/** From the next request on the server refuses the tokens, and its authorization server renews none. */
function spoil(kept: Map<string, SavedLogin>): void {
  const tokens = kept.get("remote")?.tokens;
  if (tokens) Object.assign(tokens, { access_token: "spoilt", refresh_token: "spoilt" });
}

const allow = (world: World) =>
  world.store.settings.set(user, "rules", [{ pattern: "mcp:remote:*", effect: "allow" }]);
const continued = async (app: Process, run: RunRow): Promise<RunRow> => {
  await expect.poll(() => nextOf(app, run)).toBeDefined();
  return ended(app, (await nextOf(app, run)) ?? run);
};

test("a call whose tokens ran out waits, and goes on by itself once a person has signed in, with the yes that it had", async () => {
  const { world, kept } = await startSpoilt([calls("a"), done]);
  const app = startProcess(world);
  onTestFinished(followSignIns(app));
  const run = await ended(app, await ask(app));
  spoil(kept);
  const { runId } = await answerRun(app, run, { requestId: "a", decision: "approve" });
  const waiting = await ended(app, { id: runId ?? "" });
  expect(waiting).toMatchObject({ status: "waiting", result: { stopReason: "awaiting_input" } });
  expect(await kindsOf(app, waiting)).toBe("answer tool_start input_request result");
  expect(await questionsOf(app, waiting)).toMatchObject([
    { mode: "url", reason: "login", server: "remote", id: "a", url: "/settings/mcp/remote" },
  ]);
  await signIn(world);
  const next = await continued(app, waiting);
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect((await historyOf(app, next)).at(-2)).toMatchObject({ results: [{ id: "a", status: "ok" }] });
});

test("one sign-in answers every question that waits for it, in all runs, also after a restart of this application", async () => {
  const { world, kept, open } = await startSpoilt([calls("a", "b"), calls("c"), done, done]);
  await allow(world);
  spoil(kept);
  await world.tools.pool.restart("remote");
  await world.tools.until((pool) => pool.server("remote")?.status === "needs_login");
  const before = startProcess(world);
  const runs = [await ended(before, await ask(before)), await ended(before, await ask(before))];
  expect(await Promise.all(runs.map((run) => questionsOf(before, run)))).toMatchObject([
    ...[
      [
        { reason: "login", id: "a" },
        { reason: "login", id: "b" },
      ],
      [{ reason: "login", id: "c" }],
    ],
  ]);
  before.store.kill();
  const tools = await open(world.tools.folder, world.tools.approvals);
  onTestFinished(() => tools.pool.close());
  const app = startProcess({ ...world, tools });
  await recoverRuns(app);
  onTestFinished(followSignIns(app));
  await tools.settled("remote");
  expect(await app.store.runs.get(user, runs[0]?.id ?? "")).toMatchObject({ status: "waiting" });
  await signIn({ tools });
  for (const run of runs) expect(await continued(app, run)).toMatchObject({ status: "completed" });
});

test("who declines to sign in lets the model read that the call has not run", async () => {
  const { world, kept } = await startSpoilt([calls("a"), done]);
  await allow(world);
  spoil(kept);
  await world.tools.pool.restart("remote");
  await world.tools.until((pool) => pool.server("remote")?.status === "needs_login");
  const app = startProcess(world);
  const run = await ended(app, await ask(app));
  // It was known before: nothing was sent.
  expect(await kindsOf(app, run)).not.toContain("tool_start");
  const [asked] = await questionsOf(app, run);
  const { runId } = await answerRun(app, run, { requestId: asked?.requestId ?? "", action: "decline" });
  const next = await ended(app, { id: runId ?? "" });
  expect((await historyOf(app, next)).at(-2)).toMatchObject({
    results: [{ id: "a", status: "denied", reason: "declined" }],
  });
});

test("a yes without a sign-in asks again, and nothing goes on by itself", async () => {
  const { world, kept } = await startSpoilt([calls("a"), done]);
  await allow(world);
  spoil(kept);
  await world.tools.pool.restart("remote");
  await world.tools.until((pool) => pool.server("remote")?.status === "needs_login");
  const app = startProcess(world);
  onTestFinished(followSignIns(app));
  const run = await ended(app, await ask(app));
  const [asked] = await questionsOf(app, run);
  const { runId } = await answerRun(app, run, { requestId: asked?.requestId ?? "", action: "accept" });
  const next = await ended(app, { id: runId ?? "" });
  const [again] = await questionsOf(app, next);
  expect(again).toMatchObject({ reason: "login", id: "a" });
  expect(again?.requestId).not.toBe(asked?.requestId);
});

test("a server that is ready answers no question that was asked after the last sign-in", async () => {
  const { world } = await startSpoilt([done]);
  const app = startProcess(world);
  const ask = (at: number) =>
    waitingFor(app, {
      ...{ type: "input_request", requestId: "q", id: "q" as ToolCallId, server: "remote" },
      ...{ mode: "url", reason: "login", message: "Sign in.", at },
    });
  const later = await ask(Date.now() + 60_000);
  await answerSignIns(app, later);
  expect(await app.store.runs.get(user, later.id)).toMatchObject({ status: "waiting" });
  const before = await ask(1);
  await answerSignIns(app, before);
  expect(await continued(app, before)).toMatchObject({ continues: before.id });
});

test("the waiting runs are read when a signed-in server is there, not when one goes or nobody has signed in", async () => {
  const { world, kept } = await startSpoilt([done]);
  const app = startProcess(world);
  let looks = 0;
  const { runs } = app.store;
  const withStatus: typeof runs.withStatus = (status) => {
    looks++;
    return runs.withStatus(status);
  };
  const follow = (pool: Process["pool"]) =>
    onTestFinished(followSignIns({ ...app, pool, store: { ...app.store, runs: { ...runs, withStatus } } }));
  const none = await openPool({});
  onTestFinished(() => none.pool.close());
  follow(none.pool);
  expect(looks).toBe(0);
  follow(world.tools.pool);
  expect(looks).toBe(1);
  spoil(kept);
  await world.tools.pool.restart("remote");
  await world.tools.until((pool) => pool.server("remote")?.status === "needs_login");
  expect(looks).toBe(1);
  await signIn(world);
  await expect.poll(() => looks).toBe(2);
});

test("what the server has changed while it waited for a sign-in is asked about, whatever was allowed before", async () => {
  const { world, server, kept } = await startSpoilt([calls("a"), done]);
  const app = startProcess(world);
  onTestFinished(followSignIns(app));
  const run = await ended(app, await ask(app));
  spoil(kept);
  const { runId } = await answerRun(app, run, { requestId: "a", decision: "approve" });
  const waiting = await ended(app, { id: runId ?? "" });
  expect(await questionsOf(app, waiting)).toMatchObject([{ reason: "login" }]);
  await world.tools.until((pool) => pool.server("remote")?.status === "needs_login");
  server.describe("Another tool by now.");
  await signIn(world);
  expect(await questionsOf(app, await continued(app, waiting))).toMatchObject([
    { type: "approval_request", reason: "changed_definition", call: { id: "a" } },
  ]);
});
