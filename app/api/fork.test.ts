import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messagesToTurns } from "@/lib/client/run/messages-to-turns";
import { answerText } from "@/lib/client/run/run-view";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { callTools, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { callApi, kinds, readStream } from "./testing/call-api";
import {
  answer,
  ask,
  byHand,
  callsIn,
  chat,
  detail,
  folder,
  follow,
  fork,
  forked,
  list,
  model,
  note,
  resultsIn,
  rolesOf,
  run,
  script,
  seqOf,
  twoCalls,
  withoutSiblings,
  write,
} from "./testing/fork";

describe("without an edit", () => {
  test("the fork goes on from the end of a round, and the old answer stays as a sibling", async () => {
    const first = await twoCalls();
    const old = (await detail(first.conversationId)).messages;
    const seq = seqOf(first.chunks, "tool_result", 2);
    const second = await forked(first.runId, { afterSeq: seq }, [say("Let me think again.")]);
    expect([second.status, kinds(second.chunks)]).toEqual(["completed", "iteration text result"]);
    expect(second.conversationId).toBe(first.conversationId);
    expect(model.requests.at(-1)?.toolResults).toHaveLength(2);

    const { messages, runs } = await detail(first.conversationId);
    expect(rolesOf(messages)).toBe("user assistant tool assistant");
    expect(messages.at(-1)).toMatchObject({ parts: [{ text: "Let me think again." }], runId: second.runId });
    expect(messages[1]?.siblings).toEqual([old[1]?.id, messages[1]?.id]);
    expect(resultsIn(messages)).toEqual(resultsIn(old));
    const turn = messagesToTurns(messages, runs).at(-1);
    expect(turn?.answer?.siblings).toHaveLength(2);
    expect(turn?.answer && answerText(turn.answer.view)).toContain("Let me think again.");

    expect(await run(second.runId)).toMatchObject({
      forkedFrom: { runId: first.runId, seq, edit: null },
      forks: [],
    });
    expect((await run(first.runId)).forks).toEqual([{ runId: second.runId, seq }]);
    await callApi("PATCH", `/api/conversations/${first.conversationId}`, { leafId: old[1]?.id });
    expect(withoutSiblings((await detail(first.conversationId)).messages)).toEqual(withoutSiblings(old));
  });

  test("a round is taken as a whole from its turn on: what ran does not run again", async () => {
    const first = await ask([callTools(write)]);
    script.turns = [[say("Written.")]];
    await follow(await answer(first.runId, "approve"));
    await rm(note);
    const second = await forked(first.runId, { afterSeq: seqOf(first.chunks, "usage") }, [say("Fine.")]);
    expect([second.status, kinds(second.chunks)]).toEqual(["completed", "iteration text result"]);
    expect(existsSync(note)).toBe(false);
    expect(resultsIn((await detail(first.conversationId)).messages)).toMatchObject([{ status: "ok" }]);
  });

  test("with another model; the answer's end asks nobody", async () => {
    const first = await twoCalls();
    const asked = model.requests.length;
    const last = await forked(first.runId, { afterSeq: seqOf(first.chunks, "usage", 2) });
    expect([last.status, kinds(last.chunks)]).toEqual(["completed", "result"]);
    expect(model.requests).toHaveLength(asked);
    const other = await forked(
      first.runId,
      { afterSeq: seqOf(first.chunks, "usage"), model: "openai/other" },
      [say("As another.")],
    );
    expect(other.status).toBe("completed");
    expect((await run(other.runId)).model).toBe("openai/other");
    expect((await detail(first.conversationId)).choice?.model).toBe("openai/test");
  });
});

describe("an edit", () => {
  test("of arguments runs that call alone, by the rules, and its neighbour keeps its result", async () => {
    const first = await twoCalls();
    const [here, late] = callsIn((await detail(first.conversationId)).messages[1]);
    await mkdir(join(folder, "late"));
    const args = { path: folder };
    const seq = seqOf(first.chunks, "tool_result", 2);
    const second = await forked(first.runId, { afterSeq: seq, edit: { callId: late?.id, args } }, [
      say("Now."),
    ]);
    expect([second.status, kinds(second.chunks)]).toEqual([
      ...["completed", "tool_start tool_result iteration text result"],
    ]);
    const { messages } = await detail(first.conversationId);
    const [kept, anew] = callsIn(messages[1]);
    expect(kept?.id).toBe(here?.id);
    expect(anew?.id).not.toBe(late?.id);
    // The model's message keeps its words, and the model is told of the person's.
    expect(anew?.args).toEqual(late?.args);
    expect(resultsIn(messages).find(({ id }) => id === anew?.id)).toMatchObject({ status: "ok", args });
    expect(JSON.stringify(model.requests.at(-1)?.toolResults)).toContain("The user changed the arguments");
    expect((await run(second.runId)).forkedFrom?.edit).toEqual({
      ...{ part: "args", callId: late?.id, as: anew?.id },
    });
    expect((await run(second.runId)).answeredCalls).toMatchObject([{ id: anew?.id, status: "ok" }]);
  });

  test("of arguments asks where the rules want it, and the answer runs what was asked", async () => {
    const first = await ask([callTools(write)]);
    script.turns = [[say("Written.")]];
    await follow(await answer(first.runId, "approve"));
    const [call] = callsIn((await detail(first.conversationId)).messages[1]);
    const args = { path: note, content: "by hand" };
    const step = { afterSeq: seqOf(first.chunks, "usage"), edit: { callId: call?.id, args } };
    const second = await forked(first.runId, step);
    expect(second.status).toBe("waiting");
    expect((await run(second.runId)).pending).toMatchObject([{ reason: "rule", call: { args } }]);
    expect(await readFile(note, "utf8")).toBe("hi");
    script.turns = [[say("Again.")]];
    const third = await follow(await answer(second.runId, "approve"));
    expect(third.status).toBe("completed");
    expect(await readFile(note, "utf8")).toBe("by hand");
    const { messages } = await detail(first.conversationId);
    expect(resultsIn(messages)).toMatchObject([{ status: "ok", args }]);
    expect((await run(third.runId)).forkedFrom).toBeUndefined();
    expect((await run(first.runId)).forks).toMatchObject([{ runId: second.runId }]);
  });

  test("of a result runs nothing, and is marked as a person's", async () => {
    const first = await twoCalls();
    const [, late] = callsIn((await detail(first.conversationId)).messages[1]);
    const result = byHand("[FILE] found.txt");
    const seq = seqOf(first.chunks, "tool_result", 2);
    const second = await forked(first.runId, { afterSeq: seq, edit: { callId: late?.id, result } }, [
      say("found.txt is there."),
    ]);
    expect(kinds(second.chunks)).toBe("iteration text result");
    const { messages } = await detail(first.conversationId);
    expect(resultsIn(messages)[1]).toEqual({ id: late?.id, ...result, by: "person" });
    expect(JSON.stringify(model.requests.at(-1)?.toolResults)).toContain("The user entered this result");
  });

  test("of the words drops the calls of the turn and ends the answer without the model", async () => {
    const first = await twoCalls();
    const asked = model.requests.length;
    const second = await forked(first.runId, {
      afterSeq: seqOf(first.chunks, "usage"),
      edit: { text: " None. " },
    });
    expect([second.status, kinds(second.chunks)]).toEqual(["completed", "result"]);
    expect(model.requests).toHaveLength(asked);
    const { messages, runs } = await detail(first.conversationId);
    expect(rolesOf(messages)).toBe("user assistant");
    expect(messages[1]).toMatchObject({ by: "person", parts: [{ type: "text", text: "None." }] });
    const turn = messagesToTurns(messages, runs).at(-1);
    expect(turn?.answer).toMatchObject({ isEdited: true, view: { status: "completed" } });
    script.turns = [[say("Yes.")]];
    const next = await readStream(
      await chat({ conversationId: first.conversationId, message: { text: "Really?" } }),
    );
    expect(next.status).toBe("completed");
    expect((await run(first.runId)).status).toBe("completed");
  });
});

test("in a temporary chat it stays in memory", async () => {
  script.turns = [[callTools(list("."))], [say("So.")]];
  const first = await readStream(await chat({ message: { text: "Look" }, temporary: true }));
  const second = await forked(first.runId, { afterSeq: seqOf(first.chunks, "tool_result") }, [say("Or so.")]);
  expect([second.status, isTemporaryId(second.runId)]).toEqual(["completed", true]);
  expect(await (await getDeps()).store.runs.get(localUser, second.runId)).toBeUndefined();
  expect((await run(first.runId)).forks).toMatchObject([{ runId: second.runId }]);
  expect((await callApi("DELETE", `/api/conversations/${first.conversationId}`)).status).toBe(200);
});

test("a fork is forked, and each names its own origin; a hundred forks of one run are all there", async () => {
  const first = await twoCalls();
  const seq = seqOf(first.chunks, "tool_result", 2);
  const [, late] = callsIn((await detail(first.conversationId)).messages[1]);
  const second = await forked(
    first.runId,
    { afterSeq: seq, edit: { callId: late?.id, args: { path: folder } } },
    [callTools(list("."))],
    [say("Done.")],
  );
  const third = await forked(second.runId, { afterSeq: seqOf(second.chunks, "tool_result", 2) }, [
    say("Third."),
  ]);
  expect(rolesOf((await detail(first.conversationId)).messages)).toBe(
    "user assistant tool tool assistant tool assistant",
  );
  expect((await run(third.runId)).forkedFrom).toMatchObject({ runId: second.runId });
  expect((await run(first.runId)).forks).toHaveLength(1);
  const ids: string[] = [];
  for (let count = 0; count < 100; count++) {
    const body = { afterSeq: seqOf(third.chunks, "usage"), edit: { text: `Version ${count}` } };
    ids.push((await (await fork(third.runId, body)).json()).runId);
  }
  const { forks = [] } = await run(third.runId);
  expect(forks.map(({ runId }) => runId)).toEqual(ids);
  expect((await detail(first.conversationId)).messages[1]?.siblings).toHaveLength(103);
});
