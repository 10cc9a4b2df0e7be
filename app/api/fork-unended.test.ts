import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import { callApi, kinds, readStream } from "./testing/call-api";
import {
  answer,
  ask,
  chat,
  detail,
  follow,
  fork,
  forked,
  list,
  note,
  refused,
  rolesOf,
  run,
  script,
  seqOf,
  write,
} from "./testing/fork";

describe("a run that has not come to its end", () => {
  test("goes on while it is forked, and its end does not change the branch that is shown", async () => {
    const gone = Promise.withResolvers<void>();
    script.turns = [[callTools(list("."))], [say("First"), { type: "until", done: gone.promise }]];
    const response = await chat({ message: { text: "Look" } });
    const reading = readStream(response);
    const runId = response.headers.get("x-run-id") ?? "";
    await saysInTurn(runId, 2);
    const seq = await stepOf(runId);
    script.turns = [[say("Second.")]];
    const { runId: forkId, conversationId } = await (await fork(runId, { afterSeq: seq })).json();
    const second = await follow(forkId);
    expect([second.status, (await run(runId)).status]).toEqual(["completed", "running"]);
    // It writes another version of the answer that is shown, which nobody is to follow there.
    expect(await detail(conversationId)).toMatchObject({ activeRunId: null, status: "running" });
    gone.resolve();
    expect((await reading).status).toBe("completed");

    const shown = await detail(conversationId);
    expect(shown.messages.at(-1)).toMatchObject({ runId: forkId });
    expect(shown.messages[1]?.siblings).toHaveLength(2);
    const [other] = shown.messages[1]?.siblings.filter((id) => id !== shown.messages[1]?.id) ?? [];
    await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: other });
    const own = (await detail(conversationId)).messages;
    expect([rolesOf(own), own.at(-1)?.runId]).toEqual(["user assistant tool assistant", runId]);
    const events = (await (await callApi("GET", `/api/runs/${runId}/events`)).text()).trim().split("\n");
    expect(JSON.parse(events.at(-1) ?? "").data.result.historyDelta).toHaveLength(3);
  });

  test("keeps waiting; the fork asks for itself, and each answer is about its own call", async () => {
    const first = await ask([callTools(write, list("."))]);
    const asked = seqOf(first.chunks, "usage");
    const second = await forked(first.runId, { afterSeq: asked });
    expect([second.status, kinds(second.chunks)]).toEqual(["waiting", "approval_request result"]);
    const [one, two] = [(await run(first.runId)).pending, (await run(second.runId)).pending];
    expect(two[0]?.requestId).not.toBe(one[0]?.requestId);
    script.turns = [[say("Not here.")]];
    await follow(await answer(second.runId, "deny"));
    expect((await run(first.runId)).status).toBe("waiting");
    script.turns = [[say("Written.")]];
    expect((await follow(await answer(first.runId, "approve"))).status).toBe("completed");
    expect(existsSync(note)).toBe(true);
  });

  test("words put in its place leave its question open, also when the conversation goes on there", async () => {
    const first = await ask([callTools(write)]);
    await forked(first.runId, { afterSeq: seqOf(first.chunks, "usage"), edit: { text: "No need." } });
    script.turns = [[say("Good.")]];
    const next = await chat({ conversationId: first.conversationId, message: { text: "Fine" } });
    expect((await readStream(next)).status).toBe("completed");
    expect(await run(first.runId)).toMatchObject({
      status: "waiting",
      pending: [{ type: "approval_request" }],
    });
  });

  test("was stopped or has failed, and is gone on from before that", async () => {
    const first = await ask([callTools(list("."))], [{ type: "fail", status: 400, message: "No." }]);
    expect(first.status).toBe("failed");
    const second = await forked(first.runId, { afterSeq: seqOf(first.chunks, "tool_result") }, [say("Yes.")]);
    expect(second.status).toBe("completed");
    script.turns = [[callTools(list("."))], [say("And"), hang]];
    const response = await chat({ message: { text: "Look" } });
    const reading = readStream(response);
    const runId = response.headers.get("x-run-id") ?? "";
    await saysInTurn(runId, 2);
    await callApi("POST", `/api/runs/${runId}/stop`, {});
    const stopped = await reading;
    const seq = seqOf(stopped.chunks, "tool_result");
    expect((await forked(runId, { afterSeq: seq }, [say("On.")])).status).toBe("completed");
  });
});

/** Resolves when the model has begun to speak in this turn: then it takes nothing more from the script. */
const saysInTurn = (runId: string, turn: number) =>
  expect
    .poll(async () => (await run(runId)).iterations[turn - 1]?.timeToFirstTokenMs)
    .toEqual(expect.any(Number));

/** The end of the only round of a live run. */
async function stepOf(runId: string): Promise<number> {
  const [status, code, , details] = await refused(runId, { afterSeq: 0 });
  expect([status, code]).toEqual([400, "not_a_step"]);
  const next = await refused(runId, { afterSeq: (details.after as number) + 1 });
  return next[3].after;
}
