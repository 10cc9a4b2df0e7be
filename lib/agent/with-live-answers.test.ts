import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolBox } from "./ports";
import { call, ok, scriptedProvider, stop, text } from "./testing/scripted";
import { Session } from "./testing/session";
import { withIntents } from "./testing/with-intents";
import { withApproval } from "./with-approval";
import { type AnswerSource, withLiveAnswers } from "./with-live-answers";

const turn = [call("slow", "fs__read"), call("asks", "fs__delete"), stop("tool_use")];
const answer = [text("ok"), stop("end_turn")];

/** A session whose slow call ends when it is told to, with a source for answers. */
function live() {
  const session = new Session();
  const answered = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  const source: AnswerSource = {
    answered: (id) => (id === "asks" ? answered.promise : new Promise(() => {})),
  };
  const real: ToolBox = withIntents({
    list: () => [],
    call: async ({ id, name }) => {
      if (name === "fs__read") await slow.promise;
      return ok(id);
    },
  });
  const tools = (open: Session["open"]) =>
    withLiveAnswers(
      withApproval(real, { policy: ({ name }) => (name === "fs__delete" ? { ask: "rule" } : "allow"), open }),
      source,
    );
  const approve = () => {
    session.answer("asks", { decision: "approve" });
    answered.resolve();
  };
  return { session, tools, approve, slow };
}

test("an answer that comes while another call still runs takes effect at once", async () => {
  const { session, tools, approve, slow } = live();
  const { kinds, result } = await session.run(scriptedProvider(turn, answer), tools, (chunk: Chunk) => {
    if (chunk.type === "approval_request") setImmediate(approve);
    if (chunk.type === "tool_result" && chunk.result.id === "asks") slow.resolve();
  });
  expect(kinds).toBe(
    "iteration tool_call tool_call usage tool_start approval_request tool_start tool_result tool_result iteration text usage result",
  );
  expect(result.stopReason).toBe("end_turn");
});

test("an answer that comes before the question has been put away is not missed", async () => {
  const { session, tools, approve, slow } = live();
  slow.resolve();
  const { kinds } = await session.run(
    scriptedProvider([call("asks", "fs__delete"), stop("tool_use")], answer),
    tools,
    (chunk) => chunk.type === "approval_request" && approve(),
  );
  expect(kinds).toBe(
    "iteration tool_call usage approval_request tool_start tool_result iteration text usage result",
  );
});

test("without an answer the run ends waiting when the others are done", async () => {
  const { session, tools, slow } = live();
  const { kinds, result } = await session.run(scriptedProvider(turn), tools, (chunk) => {
    if (chunk.type === "approval_request") setImmediate(slow.resolve);
  });
  expect(kinds).toBe("iteration tool_call tool_call usage tool_start approval_request tool_result result");
  expect(result.stopReason).toBe("awaiting_approval");
});

test("two calls that wait do not keep each other waiting", async () => {
  const { session, tools } = live();
  const { result } = await session.run(
    scriptedProvider([call("b", "fs__delete"), call("c", "fs__delete"), stop("tool_use")]),
    tools,
  );
  expect(result.stopReason).toBe("awaiting_approval");
});

test("Stop ends a call that waits while another runs, and leaves none open", async () => {
  const { session, tools } = live();
  const { kinds, result } = await session.run(scriptedProvider(turn), tools, (chunk) => {
    if (chunk.type === "approval_request") setImmediate(() => session.abort.abort());
  });
  expect(kinds).toBe(
    "iteration tool_call tool_call usage tool_start approval_request tool_result tool_result result",
  );
  expect(result.historyDelta[1]).toMatchObject({
    results: [
      { id: "slow", status: "unknown" },
      { id: "asks", status: "error" },
    ],
  });
});
