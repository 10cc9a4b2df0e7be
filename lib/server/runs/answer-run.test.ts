import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { readChain } from "@/lib/server/loop/chain";
import { permissionsOf } from "@/lib/server/loop/run-tools";
import { approvalPolicy } from "@/lib/server/settings/approval-policy";
import {
  ask,
  ended,
  historyOf,
  kindsOf,
  nextOf,
  questionsOf,
  stored,
  user,
  waitingFor,
} from "@/lib/server/testing/run-kit";
import { startAlone, startProcess } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";

const works = (...ids: string[]) => [...ids.map((id) => call(id, "desk__work", { n: 1 })), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });
const codeOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === "fulfilled" ? "ok" : outcome.reason.code;

test("of two answers to one question one goes on, and the other is told so", async () => {
  const app = await startAlone(works("a"), done);
  const run = await ended(app, await ask(app));
  const answers = await Promise.allSettled([
    answerRun(app, run, approve("a")),
    answerRun(app, run, approve("a")),
  ]);
  expect(answers.map(codeOf)).toEqual(["ok", "already_answered"]);
  await ended(app, (await nextOf(app, run)) ?? run);
  expect(app.world.desk.calls).toHaveLength(1);
  const rows = await app.store.runs.ofMessage(run.conversationId, run.messageId);
  expect(rows.map(({ continues }) => continues)).toEqual([null, run.id]);
  await expect(answerRun(app, run, approve("a"))).rejects.toMatchObject({ code: "already_answered" });
});

test("answers wait for the last question, and for another process as well", async () => {
  const app = await startAlone(works("a", "b"), done);
  const run = await ended(app, await ask(app));
  expect(await answerRun(app, run, approve("a"))).toEqual({ runId: null, pending: 1 });
  app.store.kill();
  const second = startProcess(app.world);
  await expect(answerRun(second, run, approve("a"))).rejects.toMatchObject({ code: "already_answered" });
  const deny = { requestId: "b", decision: "deny" as const, reason: "Once is enough." };
  const { runId } = await answerRun(second, run, deny);
  const next = await ended(second, { id: runId ?? "" });
  expect(next.status).toBe("completed");
  expect(app.world.desk.calls).toHaveLength(1);
  expect((await historyOf(second, next)).at(-2)).toMatchObject({
    role: "tool",
    results: [
      { id: "a", status: "ok" },
      { id: "b", status: "denied", content: [{ text: "Once is enough." }] },
    ],
  });
  expect(await second.store.runs.answers(run.id)).toEqual([]);
});

test("a live run takes an answer at once, while its other calls go on", async () => {
  const app = await startAlone([call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")], done);
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => questionsOf(app, run)).toHaveLength(1);
  expect(await answerRun(app, run, approve("a"))).toEqual({ runId: run.id });
  await app.world.desk.came(2);
  open();
  expect(await ended(app, run)).toMatchObject({ status: "completed", result: { finalText: "Done." } });
});

test("a question that is closed while the answer to another one is kept is not waited for", async () => {
  const calls = [...works("a", "b").slice(0, -1), call("c", "desk__look"), stop("tool_use")];
  const app = await startAlone(calls, done);
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => questionsOf(app, run)).toHaveLength(2);
  const rule = app.store.hold("settings.update");
  const answered = answerRun(app, run, { requestId: "a", decision: "approve_always" });
  await rule.reached;
  const id = "b" as ToolCallId;
  await app.runs.get(run.id)?.answer({ type: "answer", requestId: id, id, answer: { decision: "deny" } });
  open();
  expect(await ended(app, run)).toMatchObject({ status: "waiting" });
  rule.release();
  const { runId } = await answered;
  expect(await ended(app, { id: runId ?? "" })).toMatchObject({ status: "completed" });
});

test("of two answers that reach a live run at once one is in its log", async () => {
  const app = await startAlone([call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")], done);
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => questionsOf(app, run)).toHaveLength(1);
  const live = app.runs.get(run.id);
  const answer = (decision: "approve" | "deny") =>
    live?.answer({ type: "answer", requestId: "a", id: "a" as ToolCallId, answer: { decision } });
  const answers = await Promise.allSettled([answer("approve"), answer("deny")]);
  expect(answers.map(codeOf)).toEqual(["ok", "conflict"]);
  open();
  await ended(app, run);
  expect((await kindsOf(app, run)).match(/answer/g)).toHaveLength(1);
});

test("edited arguments are the ones that run; those that do not fit the tool are refused by name", async () => {
  const app = await startAlone(works("a"), done);
  const run = await ended(app, await ask(app));
  await expect(answerRun(app, run, { ...approve("a"), args: { n: "two" } })).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/^args: .*n/),
  });
  const { runId } = await answerRun(app, run, { ...approve("a"), args: { n: 2 } });
  const next = await ended(app, { id: runId ?? "" });
  expect(app.world.desk.calls).toEqual([{ name: "work", args: { n: 2 } }]);
  expect((await historyOf(app, next)).at(-2)).toMatchObject({ results: [{ args: { n: 2 } }] });
});

test("'always' becomes a rule before the call goes, so that the next one is not asked about", async () => {
  const app = await startAlone(works("a"), works("b"), done);
  const run = await ended(app, await ask(app));
  const { runId } = await answerRun(app, run, { requestId: "a", decision: "approve_always" });
  const next = await ended(app, { id: runId ?? "" });
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(await app.store.settings.get("ann", "rules")).toEqual([
    { pattern: "mcp:desk:work", effect: "allow" },
  ]);
  expect(app.world.desk.calls).toHaveLength(2);
});

test("'this whole server' becomes a rule that a narrower one still overrules, and answers the other questions it covers", async () => {
  const calls = [call("a", "desk__work"), call("b", "desk__act"), call("c", "desk__look"), stop("tool_use")];
  const app = await startAlone(
    calls,
    [call("d", "desk__act"), call("e", "desk__look"), stop("tool_use")],
    done,
  );
  const asks = { pattern: "mcp:desk:look", effect: "ask" as const };
  const adds = { pattern: "mcp:desk:*", effect: "ask" as const, when: "destructive" as const };
  await app.store.settings.set(user, "rules", [asks]);
  const run = await ended(app, await ask(app));
  expect(await answerRun(app, run, { requestId: "a", decision: "approve_server" })).toEqual({
    ...{ runId: null, pending: 1 },
  });
  expect(await app.store.settings.get(user, "rules")).toEqual([
    asks,
    { pattern: "mcp:desk:*", effect: "allow" },
  ]);
  const { runId } = await answerRun(app, run, approve("c"));
  // `look` is asked about by its own rule, `act` is not any more.
  const next = await ended(app, { id: runId ?? "" });
  expect(await questionsOf(app, next)).toMatchObject([{ requestId: "e" }]);
  expect(app.world.desk.calls.map(({ name }) => name).toSorted()).toEqual(["act", "act", "look", "work"]);
  // A rule of the same pattern under a condition is a narrower one, and is not replaced.
  await app.store.settings.set(user, "rules", [adds]);
  const other = await waitingFor(app, askAbout("desk__work"));
  await ended(app, {
    id: (await answerRun(app, other, { requestId: "q", decision: "approve_server" })).runId ?? "",
  });
  expect(await app.store.settings.get(user, "rules")).toEqual([
    adds,
    { pattern: "mcp:desk:*", effect: "allow" },
  ]);
});

test("'everything that only reads' is kept with the conversation, and holds for no tool that may change something", async () => {
  const reads = [call("a", "desk__look"), call("b", "desk__form"), call("c", "desk__work"), stop("tool_use")];
  const app = await startAlone(reads, done, [call("d", "desk__look"), stop("tool_use")]);
  await app.store.settings.set(user, "rules", [{ pattern: "mcp:*:*", effect: "ask" }]);
  const run = await ended(app, await ask(app));
  const answer = { requestId: "a", decision: "approve_reads" as const };
  await expect(answerRun(app, run, { ...answer, requestId: "c" })).rejects.toMatchObject({
    ...{
      status: 400,
      message: expect.stringMatching(/^decision: approve_reads answers a question about a tool/),
    },
  });
  expect(await answerRun(app, run, answer)).toEqual({ runId: null, pending: 1 });
  const { choice } = (await app.store.conversations.get(user, run.conversationId)) ?? {};
  expect(choice).toEqual({ allowReads: true });
  expect(await app.store.settings.get(user, "rules")).toEqual([{ pattern: "mcp:*:*", effect: "ask" }]);
  // Another conversation asks as before.
  const elsewhere = await ended(app, await waitingFor(app, askAbout("desk__look")));
  expect(elsewhere.status).toBe("waiting");
  const policy = approvalPolicy(
    app,
    user,
    permissionsOf(app, { row: run, chain: await readChain(app, undefined) }),
  );
  const verdict = (name: string) => policy({ type: "tool_call", id: "z" as ToolCallId, name, args: {} });
  expect(await verdict("desk__look")).toMatchObject({ allow: {} });
  expect(await verdict("desk__work")).toMatchObject({ ask: "rule" });
  // What a rule forbids stays forbidden, and taking it back counts at once.
  await app.store.settings.set(user, "rules", [{ pattern: "mcp:desk:look", effect: "deny" }]);
  expect(await verdict("desk__look")).toMatchObject({ deny: expect.stringContaining("mcp:desk:look") });
  await app.store.settings.set(user, "rules", [{ pattern: "mcp:*:*", effect: "ask" }]);
  await app.store.conversations.update(run.conversationId, { choice: { allowReads: null } });
  expect(await verdict("desk__look")).toMatchObject({ ask: "rule" });
});

const askAbout = (name: string) => ({
  type: "approval_request" as const,
  requestId: "q",
  call: { type: "tool_call" as const, id: "q" as ToolCallId, name, args: {} },
  reason: "rule" as const,
});

test("each question takes its own decisions and names them", async () => {
  const app = await startAlone();
  const decisions = [
    "approve",
    "approve_run",
    "approve_always",
    "approve_server",
    "deny",
    "retry",
    "done",
    "skip",
    "more",
    "finish",
    "stop",
  ] as const;
  const taken = async (question: StepChunk) => {
    const refused: string[] = [];
    for (const decision of decisions) {
      const run = await waitingFor(app, question);
      const answered = await answerRun(app, run, { requestId: "q", decision }).catch((cause) => cause);
      if (answered instanceof Error) {
        expect(answered).toMatchObject({
          status: 400,
          message: expect.stringMatching(/^decision: this question takes /),
        });
        refused.push(decision);
      } else await ended(app, { id: answered.runId });
    }
    return decisions.filter((decision) => !refused.includes(decision));
  };
  const work = { type: "tool_call" as const, id: "q" as ToolCallId, name: "desk__work", args: {} };
  const approval = (reason: "rule" | "changed_definition" | "outcome_unknown" | "sampling") =>
    taken({ type: "approval_request", requestId: "q", call: work, reason });
  expect(await approval("rule")).toEqual([
    ...["approve", "approve_run", "approve_always", "approve_server", "deny"],
  ]);
  expect(await approval("changed_definition")).toEqual(["approve", "approve_run", "approve_always", "deny"]);
  expect(await approval("outcome_unknown")).toEqual(["approve", "deny", "retry", "done", "skip"]);
  expect(await approval("sampling")).toEqual(["approve", "deny"]);
  expect(await taken({ type: "budget_request", requestId: "q", limit: "tokens", of: 1, used: {} })).toEqual([
    "more",
    "finish",
    "stop",
  ]);
});

test("what goes with another kind of question is refused by the name of the field", async () => {
  const app = await startAlone();
  const work = { type: "tool_call" as const, id: "q" as ToolCallId, name: "desk__work", args: {} };
  const approval = await waitingFor(app, {
    type: "approval_request",
    requestId: "q",
    call: work,
    reason: "rule",
  });
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const asked = {
    type: "input_request" as const,
    requestId: "q",
    id: "q" as ToolCallId,
    server: "desk",
    message: "?",
  };
  const form = await waitingFor(app, { ...asked, mode: "form", schema });
  const url = await waitingFor(app, { ...asked, mode: "url", url: "https://example.com" });
  const budget = await waitingFor(app, {
    type: "budget_request",
    requestId: "q",
    limit: "tokens",
    of: 1,
    used: {},
  });
  const refusals: [RunRow, object, RegExp][] = [
    [approval, { decision: "approve", budget: { tokens: 1 } }, /^budget: /],
    [approval, {}, /^decision: /],
    [form, { decision: "approve" }, /^action: /],
    [form, { action: "decline", content: {} }, /^content: /],
    [form, { action: "accept", content: { city: 1 } }, /^content: .*city/],
    [form, { action: "accept" }, /^content: .*city/],
    [url, { action: "accept", content: {} }, /^content: /],
    [budget, { decision: "finish", budget: { tokens: 1 } }, /^budget: /],
  ];
  for (const [run, answer, said] of refusals) {
    const refusal = { status: 400, message: expect.stringMatching(said) };
    await expect(answerRun(app, run, { requestId: "q", ...answer }), String(said)).rejects.toMatchObject(
      refusal,
    );
    expect((await stored(app, run.id)).status).toBe("waiting");
  }
  await expect(answerRun(app, form, { requestId: "another", action: "decline" })).rejects.toMatchObject({
    status: 409,
  });
});

test("a person's word on the budget holds until the run has ended, over a wait for another answer", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), call("b", "desk__look"), call("c", "desk__look", { n: 1 }), stop("tool_use")],
    done,
  );
  const open = app.world.desk.hold();
  const run = await ask(app, { budget: { toolCalls: 1 } });
  await expect.poll(() => questionsOf(app, run)).toHaveLength(2);
  const [budget] = (await questionsOf(app, run)).filter(({ type }) => type === "budget_request");
  await answerRun(app, run, { requestId: budget?.requestId ?? "", decision: "finish" });
  open();
  expect(await ended(app, run)).toMatchObject({
    result: { stopReason: expect.stringMatching(/awaiting|budget/) },
  });
  const { runId } = await answerRun(app, run, approve("a"));
  const next = await ended(app, { id: runId ?? "" });
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(app.world.desk.calls.map(({ name }) => name)).toEqual(["look"]);
  expect(app.world.turns.at(-1)?.toolChoice).toBe("none");
  expect(await kindsOf(app, next)).not.toContain("budget_request");
});
