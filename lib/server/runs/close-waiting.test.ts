import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { chat } from "@/lib/server/conversations/chat";
import { ask, ended, historyOf, stored, user } from "@/lib/server/testing/run-kit";
import { type Process, restart, startAlone } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { closeWaiting } from "./close-waiting";
import { resumeRun } from "./resume-run";

const leafOf = async ({ store }: Process, { conversationId }: RunRow) => {
  const { leafId } = (await store.conversations.get(user, conversationId)) ?? {};
  const row = await store.messages.get(conversationId, leafId ?? "");
  if (!row) throw new Error("The conversation is empty.");
  return row;
};

test("going on without an answer denies the open calls for the model, and the run has ended", async () => {
  const app = await startAlone([
    text("May I?"),
    call("a", "desk__work"),
    call("b", "desk__look"),
    stop("tool_use"),
  ]);
  const run = await ended(app, await ask(app));
  const leafId = await closeWaiting(app, user, await leafOf(app, run));
  expect((await leafOf(app, run)).id).toBe(leafId);
  expect((await historyOf(app, run)).slice(-2)).toMatchObject([
    { role: "tool", results: [{ id: "b", status: "ok" }] },
    { role: "tool", results: [{ id: "a", status: "denied" }] },
  ]);
  expect((await stored(app, run.id)).status).toBe("stopped");
  await expect(answerRun(app, run, { requestId: "a", decision: "approve" })).rejects.toMatchObject({
    code: "already_answered",
  });
});

test("a call that still goes on while its server asks is given up, and the server hears of it", async () => {
  const app = await startAlone([call("a", "desk__form"), stop("tool_use")]);
  const run = await ended(app, await ask(app));
  expect(run.result?.stopReason).toBe("awaiting_input");
  expect(app.inFlight.has("a")).toBe(true);
  await closeWaiting(app, user, await leafOf(app, run));
  expect(app.inFlight.has("a")).toBe(false);
  // It was sent, and may have done something before it asked.
  expect((await historyOf(app, run)).at(-1)).toMatchObject({ results: [{ id: "a", status: "unknown" }] });
  await expect.poll(() => app.world.desk.cancelled).toBe(1);
});

test("a message that is refused leaves the run waiting, and its calls on their servers", async () => {
  const app = await startAlone([call("a", "desk__form"), stop("tool_use")]);
  const run = await ended(app, await ask(app));
  const message = { text: "Look", attachments: [{ id: "gone" }] };
  await expect(chat(app, user, { conversationId: run.conversationId, message })).rejects.toMatchObject({
    code: "not_found",
  });
  expect((await stored(app, run.id)).status).toBe("waiting");
  expect(app.inFlight.has("a")).toBe(true);
});

test("a run that waits and has written nothing is found by where it hangs", async () => {
  const app = await startAlone([text("Now."), call("a", "desk__work"), stop("tool_use")]);
  const run = await ended(app, await ask(app));
  app.world.desk.hold();
  const { runId } = await answerRun(app, run, { requestId: "a", decision: "approve" });
  await app.world.desk.came(1);
  const next = await restart(app);
  const asked = await ended(next, await resumeRun(next, await stored(next, runId ?? "")));
  expect(asked).toMatchObject({ status: "waiting", result: { messages: 0 } });
  await closeWaiting(next, user, await leafOf(next, run));
  expect((await stored(next, asked.id)).status).toBe("stopped");
  expect((await historyOf(next, run)).at(-1)).toMatchObject({ results: [{ id: "a", status: "unknown" }] });
});

test("a run whose log cannot be read is closed at once, and what it asked for may have been sent", async () => {
  const app = await startAlone([call("a", "desk__work"), stop("tool_use")]);
  const run = await ended(app, await ask(app));
  const leaf = await leafOf(app, run);
  app.store.failing("log.read", new Error("damaged"));
  await closeWaiting(app, user, leaf);
  expect((await stored(app, run.id)).status).toBe("stopped");
  expect((await historyOf(app, run)).at(-1)).toMatchObject({ results: [{ id: "a", status: "unknown" }] });
});

test("where nothing waits, nothing is written", async () => {
  const app = await startAlone([text("Done."), stop("end_turn")]);
  const run = await ended(app, await ask(app));
  const leaf = await leafOf(app, run);
  expect(await closeWaiting(app, user, leaf)).toBe(leaf.id);
  expect(await stored(app, run.id)).toEqual(run);
});
