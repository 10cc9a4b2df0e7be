import { pino } from "pino";
import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { chat } from "@/lib/server/conversations/chat";
import { patchConversation } from "@/lib/server/conversations/conversations";
import { Sessions } from "@/lib/server/http/sessions";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { ServerSecrets } from "@/lib/server/servers/server-secrets";
import { addPreset, listPresets } from "@/lib/server/settings/presets";
import { saveRequest } from "@/lib/server/settings/saved-requests";
import { addRule } from "@/lib/server/settings/tool-rules";
import type { StoreMethod } from "@/lib/server/testing/gated-store";
import { ask, ended, historyOf, kindsOf, nextOf, stored, user } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, type Script, startProcess, type World } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { closeWaiting } from "./close-waiting";
import { recoverRuns } from "./recover-runs";
import { resumeRun } from "./resume-run";
import { stopRun } from "./stop-run";

// Two processes on one database: each has its own live runs and turns, and only the store can say who was first.

const never = new Promise<never>(() => {});
const works = (...ids: string[]) => [...ids.map((id) => call(id, "desk__work")), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });

interface Two {
  world: World;
  one: Process;
  other: Process;
}

async function startTwo(...script: Script): Promise<Two> {
  const world = await openWorld(script);
  return { world, one: startProcess(world), other: startProcess(world) };
}

/** Does the same in both, and lets neither write before both have read. Gives what came of it, in any order. */
async function atOnce<Value>(
  { one, other }: Two,
  method: StoreMethod,
  work: (deps: Process) => Promise<Value>,
): Promise<PromiseSettledResult<Value>[]> {
  const held = [one, other].map(({ store }) => store.hold(method));
  const outcomes = Promise.allSettled([work(one), work(other)]);
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  return outcomes;
}

const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === "fulfilled" ? "ok" : outcome.reason.code)).toSorted();

/** What the runs after this one come to, whichever process has them. */
async function endAll(two: Two, row: RunRow): Promise<RunRow[]> {
  for (const { runs } of [two.one, two.other]) await Promise.all(runs.all().map((live) => live.ended));
  return two.world.store.runs.ofMessage(row.conversationId, row.messageId);
}

test("of two answers to one question one goes on, and its call goes once", async () => {
  const two = await startTwo(works("a"), done);
  const run = await ended(two.one, await ask(two.one));
  const outcomes = await atOnce(two, "runs.begin", (deps) => answerRun(deps, run, approve("a")));
  expect(codesOf(outcomes)).toEqual(["already_answered", "ok"]);
  const rows = await endAll(two, run);
  expect(rows.map(({ status, continues }) => [status, continues])).toEqual([
    ["completed", null],
    ["completed", run.id],
  ]);
  expect(two.world.desk.calls).toHaveLength(1);
});

test("answers to two questions at once are both taken, and the run goes on once, with both", async () => {
  const two = await startTwo(works("a", "b"), done);
  const run = await ended(two.one, await ask(two.one));
  const held = [two.one, two.other].map(({ store }) => store.hold("runs.addAnswer"));
  const answers = Promise.all([
    answerRun(two.one, run, approve("a")),
    answerRun(two.other, run, { requestId: "b", decision: "deny", reason: "Not this one." }),
  ]);
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  const given = await answers;
  expect(given.map(({ pending }) => pending ?? 0).toSorted()).toEqual([0, 1]);
  await endAll(two, run);
  const next = await nextOf(two.one, run);
  expect(next?.status).toBe("completed");
  expect((await historyOf(two.one, run)).at(-2)).toMatchObject({
    results: [
      { id: "a", status: "ok" },
      { id: "b", status: "denied", content: [{ text: "Not this one." }] },
    ],
  });
  expect(two.world.desk.calls).toHaveLength(1);
});

test("of two answers to the first of two questions one is kept", async () => {
  const two = await startTwo(works("a", "b"), done);
  const run = await ended(two.one, await ask(two.one));
  const outcomes = await atOnce(two, "runs.addAnswer", (deps) => answerRun(deps, run, approve("a")));
  expect(codesOf(outcomes)).toEqual(["already_answered", "ok"]);
  expect(await two.one.store.runs.answers(run.id)).toHaveLength(1);
  expect((await stored(two.one, run.id)).status).toBe("waiting");
});

test("two who stop a run that waits deny its calls once", async () => {
  const two = await startTwo(works("a"));
  const run = await ended(two.one, await ask(two.one));
  const outcomes = await atOnce(two, "runs.transition", (deps) => stopRun(deps, run));
  expect(codesOf(outcomes)).toEqual(["ok", "ok"]);
  expect((await stored(two.one, run.id)).status).toBe("stopped");
  expect((await historyOf(two.one, run)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  const { rows } = await two.world.store.messages.branch(
    run.conversationId,
    (await two.world.store.conversations.get(user, run.conversationId))?.leafId ?? "",
  );
  expect((await two.world.store.messages.children(run.conversationId, [rows[1]?.id ?? ""])).size).toBe(1);
  expect(two.world.desk.calls).toEqual([]);
});

test.each(["answer", "stop"] as const)(
  "of an answer and a Stop at once the one that is first counts: %s",
  async (first) => {
    const two = await startTwo(works("a"), done);
    const run = await ended(two.one, await ask(two.one));
    const begin = two.one.store.hold("runs.begin");
    const close = two.other.store.hold("runs.transition");
    const answering = answerRun(two.one, run, approve("a"));
    const stopping = stopRun(two.other, run);
    await Promise.all([begin.reached, close.reached]);
    if (first === "answer") {
      begin.release();
      await answering;
      close.release();
    } else {
      close.release();
      await stopping;
      begin.release();
    }
    const outcomes = await Promise.allSettled([answering, stopping]);
    expect(codesOf(outcomes)).toEqual(first === "answer" ? ["ok", "ok"] : ["already_answered", "ok"]);
    await endAll(two, run);
    const isAnswered = first === "answer";
    expect((await stored(two.one, run.id)).status).toBe(isAnswered ? "completed" : "stopped");
    expect(two.world.desk.calls).toHaveLength(isAnswered ? 1 : 0);
    expect((await historyOf(two.one, run)).filter(({ role }) => role === "tool")).toHaveLength(1);
  },
);

test("of two who resume a run one continues it, and one sibling is shown", async () => {
  const two = await startTwo([text("Half "), never], done, done);
  const run = await ask(two.one);
  await expect.poll(() => kindsOf(two.one, run)).toBe("iteration text");
  await stopRun(two.one, run);
  const cut = await stored(two.one, run.id);
  const outcomes = await atOnce(two, "runs.begin", (deps) => resumeRun(deps, cut));
  expect(codesOf(outcomes)).toEqual(["ok", "run_continued"]);
  await endAll(two, run);
  expect(two.world.turns).toHaveLength(2);
  expect(await historyOf(two.one, run)).toMatchObject([{ role: "user" }, { parts: [{ text: "Done." }] }]);
});

test("of two messages after the same leaf one is sent, and the other is told that an answer is being written", async () => {
  const two = await startTwo(done, done, done);
  const { conversationId } = await ended(two.one, await ask(two.one));
  const outcomes = await atOnce(two, "runs.begin", (deps) =>
    chat(deps, user, { conversationId, message: { text: "And then?" } }),
  );
  expect(codesOf(outcomes)).toEqual(["ok", "run_active"]);
  const sent = outcomes.find((outcome) => outcome.status === "fulfilled");
  if (sent) await endAll(two, sent.value);
  expect((await two.world.store.conversations.get(user, conversationId))?.lastRun?.status).toBe("completed");
  expect(two.world.turns).toHaveLength(2);
  expect((await historyOf(two.one, { conversationId } as RunRow)).map(({ role }) => role)).toEqual([
    ...["user", "assistant", "user", "assistant"],
  ]);
});

test("of two messages that go on without an answer one is sent, and the open call is denied once", async () => {
  const two = await startTwo(works("a"), done, done);
  const run = await ended(two.one, await ask(two.one));
  const { conversationId } = run;
  const outcomes = await atOnce(two, "runs.transition", (deps) =>
    chat(deps, user, { conversationId, message: { text: "Never mind." } }),
  );
  expect(codesOf(outcomes)).toEqual(["ok", "run_active"]);
  const sent = outcomes.find((outcome) => outcome.status === "fulfilled");
  if (sent) await endAll(two, sent.value);
  expect((await historyOf(two.one, run)).map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "user", "assistant"],
  ]);
});

test("the same message through both processes is stored once, and both are given its run", async () => {
  const two = await startTwo(done, done);
  const outcomes = await atOnce(two, "runs.begin", (deps) =>
    chat(deps, user, { clientMessageId: "m-1", message: { text: "Hello." } }),
  );
  expect(codesOf(outcomes)).toEqual(["ok", "ok"]);
  const ids = outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value.id);
  expect(new Set(ids).size).toBe(1);
  for (const deps of [two.one, two.other]) await ended(deps, { id: String(ids[0]) });
  expect(two.world.turns).toHaveLength(1);
});

test("of two who have a question answered again one is heard", async () => {
  const two = await startTwo(done, done, done);
  const { conversationId, messageId } = await ended(two.one, await ask(two.one));
  const outcomes = await atOnce(two, "runs.begin", (deps) =>
    chat(deps, user, { conversationId, regenerate: messageId }),
  );
  expect(codesOf(outcomes)).toEqual(["ok", "run_active"]);
  await endAll(two, { conversationId, messageId } as RunRow);
  expect(two.world.turns).toHaveLength(2);
});

test("of two who run a call again one is heard", async () => {
  const two = await startTwo([call("a", "desk__look"), stop("tool_use")], done, done, done);
  const { conversationId, messageId } = await ended(two.one, await ask(two.one));
  const outcomes = await atOnce(two, "runs.begin", (deps) =>
    chat(deps, user, { conversationId, regenerate: messageId, fromCall: "a" }),
  );
  expect(codesOf(outcomes)).toEqual(["ok", "run_active"]);
  await endAll(two, { conversationId, messageId } as RunRow);
  expect(two.world.desk.calls).toHaveLength(2);
});

test("a run that two recover at once has one end, in its record and in its log", async () => {
  const two = await startTwo([text("Once "), never]);
  const run = await ask(two.one);
  await expect.poll(() => kindsOf(two.one, run)).toBe("iteration text");
  two.one.store.kill();
  await two.one.store.quiet();
  const next = { ...two, one: startProcess(two.world) };
  await atOnce(next, "runs.finish", (deps) => recoverRuns(deps));
  const log = await readWholeLog(two.world, run.id);
  expect(log.map(({ data }) => data.type)).toEqual(["iteration", "request", "text", "result"]);
  expect(await historyOf(next.one, run)).toMatchObject([{ role: "user" }, { parts: [{ text: "Once " }] }]);
});

test("two who go on without a run that waits: the second is told, and denies nothing", async () => {
  const two = await startTwo(works("a"));
  const run = await ended(two.one, await ask(two.one));
  const { leafId } = (await two.world.store.conversations.get(user, run.conversationId)) ?? {};
  const leaf = await two.world.store.messages.get(run.conversationId, leafId ?? "");
  if (!leaf) throw new Error("The run has stored nothing.");
  const outcomes = await atOnce(two, "runs.transition", (deps) => closeWaiting(deps, user, leaf));
  expect(codesOf(outcomes)).toEqual(["conflict", "ok"]);
});

test("who goes back to a question while its answer ends elsewhere is shown the answer", async () => {
  const two = await startTwo(done);
  const end = two.one.store.hold("runs.finish");
  const { id, conversationId, messageId } = await ask(two.one);
  await end.reached;
  const change = two.other.store.hold("conversations.update");
  const going = patchConversation(two.other, user, conversationId, { leafId: messageId });
  await change.reached;
  end.release();
  await ended(two.one, { id });
  change.release();
  const answer = (await two.world.store.messages.children(conversationId, [messageId])).get(messageId);
  expect((await going).leafId).toBe(answer?.[0]);
});

test("settings that both change at once keep both changes", async () => {
  const two = await startTwo();
  const both = <Value>(work: (deps: Process, name: string) => Promise<Value>) =>
    Promise.all([work(two.one, "one"), work(two.other, "other")]);
  await both((deps, name) => addRule(deps, user, { pattern: `mcp:${name}:*`, effect: "deny" }));
  await both((deps, name) => addPreset(deps, user, { name, servers: [name], default: false }));
  await both((deps, name) => saveRequest(deps, user, "desk", { tool: "look", name, args: {} }));
  const { settings } = two.world.store;
  const rules = await settings.get<{ pattern: string }[]>(user, "rules");
  expect(rules?.map(({ pattern }) => pattern)).toEqual(["mcp:one:*", "mcp:other:*"]);
  expect((await listPresets(two.one, user)).items.map(({ name }) => name)).toEqual(["one", "other"]);
  expect(await settings.get<unknown[]>(user, "requests:desk")).toHaveLength(2);
});

test("what is kept in memory too, secrets of servers and sessions, is stored with what the other has added", async () => {
  const { one, other } = await startTwo();
  const secrets = { appSecret: "s".repeat(32), launchToken: "" };
  const log = pino({ level: "silent" });
  const openSecrets = ({ store }: Process) => ServerSecrets.open({ store, secrets, log });
  const [first, second] = [await openSecrets(one), await openSecrets(other)];
  await Promise.all([first.change("crm", { KEY: "k" }), second.change("crm", { TOKEN: "t" })]);
  expect((await openSecrets(one)).names("crm")).toEqual(["KEY", "TOKEN"]);
  const [here, there] = [one, other].map(({ store }) => new Sessions({ store, secrets }));
  const cookies = await Promise.all([here?.begin(undefined), there?.begin(undefined)]);
  const later = new Sessions({ store: one.store, secrets });
  expect(await Promise.all(cookies.map((cookie) => later.has(cookie ?? "")))).toEqual([true, true]);
});
