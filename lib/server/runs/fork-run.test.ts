import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { StoredTurns } from "@/lib/client/conversation/stored-turns";
import { RunFollower } from "@/lib/client/run/run-follower";
import { answerText } from "@/lib/client/run/run-view";
import type { Chunk } from "@/lib/protocol/chunk";
import { readConversation } from "@/lib/server/conversations/conversations";
import { queueMessage } from "@/lib/server/conversations/queued-messages";
import { ask, ended, historyOf, kindsOf, logOf, stored, user } from "@/lib/server/testing/run-kit";
import { type Process, restart, startAlone } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { forkRun } from "./fork-run";
import { resumeRun } from "./resume-run";
import { toRunEvent } from "./run-event";
import { stopRun } from "./stop-run";

const never = new Promise<never>(() => {});
const done = [text("Done."), stop("end_turn")];
const looks = (id: string) => [call(id, "desk__look"), stop("tool_use")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });

const underWay = (before: number | null) => ({ status: 409, code: "run_active", details: { before } });

/** Where the nth chunk of this kind stands in the log of a run. */
async function seqOf(app: Process, run: RunRow, type: Chunk["type"], nth = 1): Promise<number> {
  const found = (await logOf(app, run)).flatMap((chunk, at) => (chunk.type === type ? at + 1 : []));
  return found[nth - 1] ?? 0;
}
const forkAfter = async (app: Process, run: RunRow, ...at: [Chunk["type"], number?]) =>
  forkRun(app, run, { afterSeq: await seqOf(app, run, ...at) } as Parameters<typeof forkRun>[2]);

test("calls of a round that is under way are not sent twice: a live run is forked before it, or at its end", async () => {
  const two = [call("b", "desk__look"), call("c", "desk__look"), stop("tool_use")];
  const app = await startAlone(looks("a"), two, done, done);
  const first = app.world.desk.hold();
  const run = await ask(app, { toolExecution: "sequential" });
  await app.world.desk.came(1);
  await expect(forkAfter(app, run, "usage")).rejects.toMatchObject(underWay(null));
  first();
  const second = app.world.desk.hold();
  await app.world.desk.came(2);
  // One of the two is on its way, and the other is not sent yet.
  const round = await seqOf(app, run, "tool_result");
  await expect(forkAfter(app, run, "usage", 2)).rejects.toMatchObject(underWay(round));
  second();
  expect((await ended(app, run)).status).toBe("completed");
  const fork = await ended(app, await forkAfter(app, run, "usage", 2));
  expect([fork.status, await kindsOf(app, fork)]).toEqual(["completed", "iteration text result"]);
  expect(app.world.desk.calls).toHaveLength(3);
});

test("a run whose question was answered is not forked before the call that was allowed while that is under way", async () => {
  const app = await startAlone([call("a", "desk__work"), stop("tool_use")], done, done);
  const first = await ended(app, await ask(app));
  const open = app.world.desk.hold();
  const { runId } = await answerRun(app, first, approve("a"));
  await app.world.desk.came(1);
  await expect(forkAfter(app, first, "usage")).rejects.toMatchObject(underWay(null));
  open();
  await ended(app, { id: runId ?? "" });
  expect((await ended(app, await forkAfter(app, first, "usage"))).status).toBe("completed");
  expect(app.world.desk.calls).toHaveLength(1);
});

test("the result that a call got when its run was resumed takes the place of what a crash had put there", async () => {
  const app = await startAlone(looks("a"), done, done);
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  const next = await restart(app);
  const cut = await stored(next, run.id);
  open();
  expect((await historyOf(next, run)).at(-1)).toMatchObject({ results: [{ id: "a", reason: "cut_short" }] });
  const resumed = await resumeRun(next, cut);
  expect((await ended(next, resumed)).status).toBe("completed");
  await ended(next, await forkAfter(next, cut, "tool_result"));
  expect((await historyOf(next, run)).at(-2)).toMatchObject({ results: [{ id: "a", status: "ok" }] });
});

test("a live run ends behind its own messages, wherever its forks stand, and is resumed from there", async () => {
  const app = await startAlone(looks("a"), [text("Half "), never], done, done);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toMatch(/text$/);
  const fork = await forkRun(app, run, {
    ...{ afterSeq: await seqOf(app, run, "usage"), edit: { text: "By hand." }, title: undefined },
  });
  expect((await ended(app, fork)).status).toBe("completed");
  await stopRun(app, run);
  const shown = await historyOf(app, run);
  expect(shown.at(-1)).toMatchObject({ by: "person", parts: [{ text: "By hand." }] });
  const next = await ended(app, await resumeRun(app, await stored(app, run.id)));
  expect(next).toMatchObject({ status: "completed", continues: run.id });
  expect(app.world.turns.at(-1)?.history).toMatchObject([
    ...[
      { role: "user" },
      { role: "assistant", parts: [{ id: "a" }] },
      { results: [{ id: "a", status: "ok" }] },
    ],
  ]);
  expect(app.world.desk.calls).toHaveLength(1);
});

test("what a crash has cut short is forked at its steps, and so is what the fork itself lost in one", async () => {
  const app = await startAlone(looks("a"), [text("Half "), never], [text("Other "), never], done, done);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toMatch(/text$/);
  const second = await restart(app);
  const fork = await forkAfter(second, await stored(second, run.id), "tool_result");
  await expect.poll(() => kindsOf(second, fork)).toBe("iteration text");
  const third = await restart(second);
  expect((await stored(third, fork.id)).status).toBe("interrupted");
  const next = await ended(third, await resumeRun(third, await stored(third, fork.id)));
  expect(next.status).toBe("completed");
  expect(app.world.desk.calls).toHaveLength(1);
  expect(await historyOf(third, next)).toHaveLength(4);
});

test("arguments of a person hold through the question about them, and a crash after they were sent", async () => {
  const app = await startAlone([call("a", "desk__work", { n: 1 }), stop("tool_use")], done, done);
  const first = await ended(app, await ask(app));
  const fork = await forkRun(app, first, {
    ...{ afterSeq: await seqOf(app, first, "usage"), title: undefined },
    edit: { callId: "a", args: { n: 2 } },
  });
  expect((await ended(app, fork)).status).toBe("waiting");
  const [asked] = (await logOf(app, fork)).filter((chunk) => chunk.type === "approval_request");
  app.world.desk.hold();
  await answerRun(app, await stored(app, fork.id), approve(asked?.requestId ?? ""));
  await app.world.desk.came(1);
  expect(app.world.desk.calls).toEqual([{ name: "work", args: { n: 2 } }]);
  const next = await restart(app);
  const cut = (await next.store.runs.ofMessage(fork.conversationId, fork.messageId)).at(-1);
  expect(cut).toMatchObject({ status: "interrupted", continues: fork.id });
  const resumed = cut && (await ended(next, await resumeRun(next, cut)));
  expect(resumed?.status).toBe("waiting");
  expect((await logOf(next, { id: resumed?.id ?? "" })).at(-2)).toMatchObject({
    ...{ type: "approval_request", reason: "outcome_unknown", call: { args: { n: 2 } } },
  });
});

test("arguments of a person are kept until their call has its result, and what was allowed for a run holds in no fork of it", async () => {
  const works = (id: string) => [call(id, "desk__work", { n: 1 }), stop("tool_use")];
  const app = await startAlone(works("a"), works("b"), done, [new Error("No.")], done);
  const first = await ended(app, await ask(app));
  const allowed = await answerRun(app, first, { requestId: "a", decision: "approve_run" });
  expect((await ended(app, { id: allowed.runId ?? "" })).status).toBe("completed");
  const fork = await forkRun(app, first, {
    ...{ afterSeq: await seqOf(app, first, "usage"), title: undefined },
    edit: { callId: "a", args: { n: 2 } },
  });
  expect((await ended(app, fork)).status).toBe("waiting");
  const [asked] = (await logOf(app, fork)).filter((chunk) => chunk.type === "approval_request");
  const next = await answerRun(app, await stored(app, fork.id), approve(asked?.requestId ?? ""));
  const failed = await ended(app, { id: next.runId ?? "" });
  expect(failed).toMatchObject({ status: "failed", options: { editedCall: { args: { n: 2 } } } });
  const resumed = await ended(app, await resumeRun(app, failed));
  expect(resumed.status).toBe("completed");
  expect(resumed.options).not.toHaveProperty("editedCall");
});

test("words of a person end no answer that has to match a schema, also in place of a turn in its middle", async () => {
  const app = await startAlone(looks("a"), done, done, done, done);
  const run = await ended(app, await ask(app, { responseSchema: { type: "object" } }));
  const step = { afterSeq: await seqOf(app, run, "usage"), edit: { text: "By hand." }, title: undefined };
  await expect(forkRun(app, run, step)).rejects.toMatchObject({ status: 422, code: "not_supported" });
});

test("what was said into an answer that goes on comes along, and is no question", async () => {
  const app = await startAlone(looks("a"), looks("b"), done, done);
  const first = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  const told = { text: "And there.", when: "next_turn" as const, clientMessageId: "k1" };
  await queueMessage(app, run, told);
  first();
  const second = app.world.desk.hold();
  await app.world.desk.came(2);
  const fork = await forkRun(app, run, {
    ...{ afterSeq: await seqOf(app, run, "usage", 2), edit: { text: "By hand." }, title: undefined },
  });
  expect((await ended(app, fork)).status).toBe("completed");
  const history = await historyOf(app, fork);
  expect(history.map(({ role }) => role).join(" ")).toBe("user assistant tool user assistant");
  const { messages } = await readConversation(app, user, fork.conversationId, { limit: 50 });
  expect(messages.filter(({ role, runId }) => role === "user" && runId === null)).toHaveLength(1);
  second();
  expect((await ended(app, run)).status).toBe("completed");
});

test("a page that opens a fork while it is written shows what stood before it too", async () => {
  const app = await startAlone([text("First."), ...looks("a")], done, [text("Other "), never]);
  const run = await ask(app);
  await ended(app, run);
  const fork = await forkAfter(app, run, "tool_result");
  await expect.poll(() => kindsOf(app, fork)).toBe("iteration text");
  const turns = new StoredTurns(new Map(), new Map());
  turns.take(await readConversation(app, user, fork.conversationId, { limit: 50 }));
  const chunks = await logOf(app, fork);
  const opened = { run: toRunEvent(fork, chunks.length), chunks, seq: chunks.length };
  expect(opened.run.forkedFrom).toEqual({ runId: run.id, seq: await seqOf(app, run, "tool_result") });
  const view = RunFollower.opened(opened, turns.turnBefore(opened.run)).shown()?.answer?.view;
  expect(JSON.stringify(view)).toContain("First.");
  expect(view && answerText(view)).toContain("Other");
  await stopRun(app, fork);
});
