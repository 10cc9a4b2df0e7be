import { expect, test } from "vitest";
import type { RunComparison } from "@/lib/protocol/run-comparison";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi } from "./testing/call-api";
import { answer, ask, follow, forked, inWords, list, run, script, seqOf, write } from "./testing/fork";
import { again } from "./testing/go-on";

const compare = async (...ids: string[]) => {
  const response = await callApi("GET", `/api/runs/compare?ids=${ids.join(",")}`);
  const body = await response.json();
  return response.ok ? (body as RunComparison) : [response.status, body.error.code, body.error.message];
};
const compared = async (...ids: string[]) => {
  const read = await compare(...ids);
  if (Array.isArray(read)) throw new Error(JSON.stringify(read));
  return read;
};

test("answers stand beside each other turn by turn, with what was sent and what came from the recording", async () => {
  const first = await ask([say("I look."), callTools(list("."), write)]);
  script.turns = [[say("Done.")]];
  const second = await follow(await answer(first.runId, "approve"));
  const tape = await again(
    second.runId,
    { tape: "strict", model: "openai/other" },
    [say("I look."), callTools(list("."))],
    [callTools(write)],
    [say("Written.")],
  );
  const { runs, rows, omitted } = await compared(first.runId, tape.runId);
  expect(omitted).toBe(0);
  expect(runs).toMatchObject([
    { id: first.runId, model: "openai/test", status: "completed", turns: 2, calls: 2, question: "Look" },
    { id: tape.runId, model: "openai/other", turns: 3, calls: 2, rerunOf: { runId: second.runId } },
  ]);
  expect(runs[0]?.usage.outputTokens).toBeGreaterThan(0);
  const call = (name: string, sent: boolean) => ({ name: `filesystem__${name}`, status: "ok", sent });
  expect(rows.map(({ turn, cells }) => [turn, ...cells])).toMatchObject([
    [
      1,
      { text: "I look.", calls: [call("list_directory", true), call("write_file", true)] },
      { text: "I look.", calls: [call("list_directory", false)] },
    ],
    [2, { text: "Done.", calls: [] }, { text: "", calls: [call("write_file", false)] }],
    [3, null, { text: "Written." }],
  ]);
});

test("a call that the recording does not have says that it was asked about, and what was answered", async () => {
  const first = await ask([callTools(list("."))], [say("One.")]);
  const tape = await again(first.runId, { tape: "ask" }, [
    callTools(list("."), list(".."), list("late"), list("gone")),
  ]);
  script.turns = [[say("So.")]];
  const once = await answer(tape.runId, "approve");
  expect(once).toBeNull();
  await answer(tape.runId, "deny");
  const { rows } = await compared(first.runId, tape.runId);
  const told = rows[0]?.cells[1]?.calls.map(({ missed, sent, status }) => [missed, sent, status]);
  expect(told).toEqual([
    [undefined, false, "ok"],
    [true, false, "open"],
    [true, false, "open"],
    [true, false, "open"],
  ]);
  const last = await follow(await answer(tape.runId, "deny"));
  expect(last.status).toBe("completed");
  const after = (await compared(first.runId, tape.runId)).rows[0]?.cells[1]?.calls ?? [];
  expect(after.map(({ missed }) => missed)).toEqual([undefined, true, true, true]);
  const ends = after.slice(1).map(({ sent, status }) => [sent, status]);
  expect(ends.filter(([, status]) => status === "denied")).toHaveLength(2);
  expect(ends.filter(([sent]) => sent)).toHaveLength(1);
});

test("a fork begins with what it has copied; what is long is cut and says so", async () => {
  const long = "x".repeat(30_000);
  const first = await ask([callTools({ ...list("."), args: { path: long } })], [say(long, { pieces: 1 })]);
  const fork = await forked(first.runId, { afterSeq: seqOf(first.chunks, "tool_result") }, [say("Short.")]);
  const { rows } = await compared(first.runId, fork.runId);
  expect(rows[0]?.cells[0]?.calls).toEqual(rows[0]?.cells[1]?.calls.map((each) => ({ ...each, ...sent })));
  expect(rows[0]?.cells[1]?.calls).toMatchObject([{ args: {}, argsLength: 30_011 }]);
  expect(rows[1]?.cells).toMatchObject([{ textLength: 30_000 }, { text: "Short." }]);
  expect(rows[1]?.cells[0]?.text).toHaveLength(20_000);
});
const sent = { sent: expect.anything(), durationMs: expect.anything() };

test("what cannot be compared is refused by name", async () => {
  const one = await ask([say("One.")]);
  const bad = [400, "invalid_input", expect.stringContaining("ids:")];
  expect(await compare(one.runId)).toEqual(bad);
  expect(await compare(one.runId, one.runId)).toEqual(bad);
  expect(await compare(...Array.from({ length: 7 }, (_, n) => `run-${n}`))).toEqual(bad);
  expect(await compare(one.runId, "none")).toEqual([404, "not_found", inWords]);
  const waits = await ask([callTools(write)]);
  script.turns = [[say("Done.")]];
  const next = await follow(await answer(waits.runId, "approve"));
  expect(await compare(waits.runId, next.runId)).toEqual(bad);
  expect((await run(next.runId)).status).toBe("completed");
});
