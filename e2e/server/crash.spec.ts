import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { chunksOf, endOf, logged, readStream, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const kinds = (events: Parameters<typeof chunksOf>[0]) => chunksOf(events).map(({ type }) => type);

test("an answer that kill -9 cuts short is interrupted with its text, replays once and can be resumed", async ({
  startWithModel,
}) => {
  const story = "Once upon a time there was a server that nobody wanted to lose a word of. ".repeat(20);
  const { app, model } = await startWithModel([[say(story, { delayMs: 20 })], [say("The whole story.")]]);
  const api = apiOf(app);
  const live = await api.ask("Tell me a story");
  await live.until((events) => logged(events).length >= 10);
  await app.kill9();
  await live.closed;
  const seen = logged(live.events);
  expect(live.events.some(({ event }) => event === "end")).toBe(false);

  await app.restart();
  const run = await api.run(live.runId);
  expect(run).toMatchObject({ status: "interrupted", stopReason: "interrupted", pending: [] });

  const replayed = await api.replay(live.runId);
  const all = logged(replayed.events);
  expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
  expect(all.slice(0, seen.length)).toEqual(seen);
  const end = endOf(replayed.events);
  expect(end).toMatchObject({ status: "interrupted", stopReason: "interrupted" });
  expect(end.finalText).toBe(textOf(replayed.events));
  expect(story.startsWith(end.finalText)).toBe(true);

  const lastId = seen.at(-1)?.id ?? 0;
  const rest = await readStream(
    await app.fetch(`/api/runs/${live.runId}/stream`, { headers: { "last-event-id": String(lastId) } }),
  );
  expect(logged(rest.events)).toEqual(all.slice(lastId));

  const { messages } = await api.conversation(run.conversationId);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages[1]).toMatchObject({ parts: [{ type: "text", text: end.finalText }] });

  const { runId } = await api.post<{ runId: string }>(`/api/runs/${live.runId}/resume`);
  const resumed = await api.replay(runId);
  expect(resumed.events[0]).toMatchObject({ event: "run", data: { continues: live.runId, seq: 0 } });
  expect(endOf(resumed.events)).toMatchObject({ status: "completed", finalText: "The whole story." });
  // The partial text is shown as a sibling and not told to the model.
  expect(model.requests[1]?.body.messages).toEqual(model.requests[0]?.body.messages);
  const after = await api.conversation(run.conversationId);
  expect(after.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(after.messages[1]?.siblings).toHaveLength(2);
});

test("a call that was out when the server died is asked about, and not repeated before", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel(
    [[callTools({ name: "gated__work", args: { n: 1 } })], [say("It is done.")]],
    { mcpConfig: { mcpServers: { gated: gated.config } }, env: { TOOL_APPROVAL: "allow" } },
  );
  const api = apiOf(app);
  await serverIsReady(app);
  const live = await api.ask("Work");
  await expect.poll(gated.calls).toEqual(["work"]);
  await app.kill9();
  await app.restart();

  const interrupted = await api.replay(live.runId);
  expect(endOf(interrupted.events).status).toBe("interrupted");
  const { conversationId } = await api.run(live.runId);
  const { messages } = await api.conversation(conversationId);
  expect(messages.at(-1)).toMatchObject({ role: "tool", results: [{ status: "unknown" }] });

  await serverIsReady(app);
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${live.runId}/resume`);
  const asked = await api.replay(runId);
  expect(kinds(asked.events)).toEqual(["approval_request", "result"]);
  expect(endOf(asked.events).status).toBe("waiting");
  const { pending } = await api.run(runId);
  expect(pending).toMatchObject([
    { type: "approval_request", reason: "outcome_unknown", call: { name: "gated__work", args: { n: 1 } } },
  ]);
  expect(gated.calls()).toEqual(["work"]);
  expect(model.requests).toHaveLength(1);

  // Asked once more by the same question, it does not go either.
  await app.kill9();
  await app.restart();
  expect((await api.run(runId)).pending).toEqual(pending);
  await serverIsReady(app);
  gated.open();
  const next = await api.post<{ runId: string }>(`/api/runs/${runId}/answer`, {
    requestId: pending[0]?.requestId,
    decision: "retry",
  });
  const done = await api.replay(next.runId);
  expect(endOf(done.events)).toMatchObject({ status: "completed", finalText: "It is done." });
  expect(gated.calls()).toEqual(["work", "work"]);
  expect(model.requests[1]?.toolResults).toEqual(["work is done"]);
});

test("a read-only call that was out is repeated alone, one that waited is asked about again", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel(
    [
      [callTools({ name: "gated__look", id: "call_look" }, { name: "gated__work", id: "call_work" })],
      [say("Looked.")],
    ],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const api = apiOf(app);
  await serverIsReady(app);
  const live = await api.ask("Look and work");
  await live.until((events) => kinds(events).includes("approval_request"));
  await expect.poll(gated.calls).toEqual(["look"]);
  await app.kill9();
  await app.restart();
  await serverIsReady(app);
  expect((await api.run(live.runId)).status).toBe("interrupted");

  gated.open();
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${live.runId}/resume`);
  const resumed = await api.replay(runId);
  expect(endOf(resumed.events).status).toBe("waiting");
  const { pending } = await api.run(runId);
  expect(pending).toMatchObject([{ reason: "rule", call: { name: "gated__work" } }]);
  expect(gated.calls()).toEqual(["look", "look"]);

  const next = await api.post<{ runId: string }>(`/api/runs/${runId}/answer`, {
    requestId: pending[0]?.requestId,
    decision: "approve",
  });
  expect(endOf((await api.replay(next.runId)).events).status).toBe("completed");
  expect(gated.calls()).toEqual(["look", "look", "work"]);
  expect(model.requests[1]?.toolResults).toEqual(["look is done", "work is done"]);
});

test("a run that waits for a person still waits after kill -9, and the answer continues it", async ({
  startWithModel,
  gated,
}) => {
  const { app } = await startWithModel(
    [[say("I ask first. "), callTools({ name: "gated__work" })], [say("Done.")]],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const api = apiOf(app);
  await serverIsReady(app);
  gated.open();
  const waiting = await api.ask("Work");
  await waiting.closed;
  const { pending } = await api.run(waiting.runId);
  await app.kill9();
  await app.restart();
  await serverIsReady(app);
  expect(await api.run(waiting.runId)).toMatchObject({ status: "waiting", pending });
  expect(logged((await api.replay(waiting.runId)).events)).toEqual(logged(waiting.events));

  const body = {
    requestId: pending[0]?.requestId,
    decision: "approve",
  };
  // Two tabs answer at once.
  const answers = await Promise.all([
    api.send("POST", `/api/runs/${waiting.runId}/answer`, body),
    api.send("POST", `/api/runs/${waiting.runId}/answer`, body),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const runId = await startedRun(answers);
  expect(endOf((await api.replay(runId)).events)).toMatchObject({ status: "completed", finalText: "Done." });
  expect(gated.calls()).toEqual(["work"]);
});

test("of two questions the one that was answered before kill -9 stays answered", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel(
    [
      [
        callTools(
          { name: "gated__work", args: { n: 1 }, id: "call_1" },
          { name: "gated__work", args: { n: 2 }, id: "call_2" },
        ),
      ],
      [say("Done.")],
    ],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const api = apiOf(app);
  await serverIsReady(app);
  gated.open();
  const waiting = await api.ask("Work twice");
  await waiting.closed;
  const [first, second] = (await api.run(waiting.runId)).pending;
  const path = `/api/runs/${waiting.runId}/answer`;
  const approved = { requestId: first?.requestId, decision: "approve" };
  expect(await api.post(path, approved)).toEqual({ runId: null, pending: 1 });
  await app.kill9();
  await app.restart();
  await serverIsReady(app);
  expect((await api.run(waiting.runId)).pending).toEqual([second]);
  expect((await api.send("POST", path, approved)).status).toBe(409);
  expect(gated.calls()).toEqual([]);

  const denied = { requestId: second?.requestId, decision: "deny", reason: "Once is enough." };
  const { runId } = await api.post<{ runId: string }>(path, denied);
  expect(endOf((await api.replay(runId)).events).status).toBe("completed");
  expect(gated.calls()).toEqual(["work"]);
  expect(model.requests[1]?.toolResults).toEqual([
    "work is done",
    expect.stringContaining("Once is enough."),
  ]);
});

test("a question whose answer was under way at kill -9 is not open a second time", async ({
  startWithModel,
  gated,
}) => {
  const { app } = await startWithModel([[callTools({ name: "gated__work" })], [say("Done.")]], {
    mcpConfig: { mcpServers: { gated: gated.config } },
  });
  const api = apiOf(app);
  await serverIsReady(app);
  const waiting = await api.ask("Work");
  await waiting.closed;
  const [question] = (await api.run(waiting.runId)).pending;
  const answer = { requestId: question?.requestId, decision: "approve" };
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${waiting.runId}/answer`, answer);
  await expect.poll(gated.calls).toEqual(["work"]);
  await app.kill9();
  // As if it had happened between the two writes: the run that goes on is stored, the end of the wait is not.
  const db = new DatabaseSync(join(app.dataDir, "meguri.db"));
  db.prepare("update run set status = 'waiting' where id = ?").run(waiting.runId);
  db.close();
  await app.restart();
  expect(await api.run(waiting.runId)).toMatchObject({ status: "completed", pending: [] });
  expect((await api.send("POST", `/api/runs/${waiting.runId}/answer`, answer)).status).toBe(409);
  expect((await api.run(runId)).status).toBe("interrupted");
  expect(gated.calls()).toEqual(["work"]);
});

test("two resumes of one run at once start one", async ({ startWithModel }) => {
  const { app, model } = await startWithModel([[say("Some "), hang], [say("a b c d e f", { delayMs: 50 })]]);
  const api = apiOf(app);
  const live = await api.ask("Go");
  await live.until((events) => textOf(events) !== "");
  await app.kill9();
  await app.restart();
  const answers = await Promise.all(
    [1, 2, 3].map(() => api.send("POST", `/api/runs/${live.runId}/resume`, {})),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  const runId = await startedRun(answers);
  expect(endOf((await api.replay(runId)).events).status).toBe("completed");
  expect(model.requests).toHaveLength(2);
});

test("kill -9 at six random moments loses no acknowledged message and doubles none", async ({
  startWithModel,
}) => {
  test.setTimeout(120_000);
  const { app } = await startWithModel(() => [
    say("one two three four five six seven eight", { delayMs: 25 }),
  ]);
  const api = apiOf(app);
  const { id: conversationId } = await api.post<{ id: string }>("/api/conversations", { title: "Rounds" });
  const sent: string[] = [];
  for (let round = 1; round <= 6; round++) {
    const delay = Math.round(Math.random() * 350);
    const text = `Round ${round}, killed after ${delay} ms`;
    const body = { conversationId, clientMessageId: `round-${round}` };
    const acknowledged = api.ask(text, body).then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => setTimeout(resolve, delay));
    await app.kill9();
    await app.restart();
    if (await acknowledged) sent.push(text);
    // What a client does that does not know: the same message again.
    if (round % 2 === 0) {
      const again = await api.ask(text, body);
      await again.closed;
      if (!sent.includes(text)) sent.push(text);
    }
  }
  const { messages, runs } = await api.conversation(conversationId);
  const asked = messages.flatMap((message) =>
    message.role === "user" ? message.parts.map((part) => (part.type === "text" ? part.text : "")) : [],
  );
  expect(asked.filter((text) => sent.includes(text))).toEqual(sent);
  expect(new Set(asked).size).toBe(asked.length);
  for (const { id, status } of runs) {
    const { events } = await api.replay(id);
    expect(endOf(events).status, asked.join("; ")).toBe(status);
    expect(["interrupted", "completed"]).toContain(status);
    const ids = logged(events).map((event) => event.id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
  }
});

async function startedRun(answers: Response[]): Promise<string> {
  const body: { runId?: string } = await answers.find(({ ok }) => ok)?.json();
  return body.runId ?? "";
}

async function serverIsReady(app: App): Promise<void> {
  await expect.poll(async () => (await apiOf(app).server("gated")).status).toBe("ready");
}
