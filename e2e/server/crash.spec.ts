import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { noServers } from "../support/default-servers";
import { endOf, logged, readStream, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

test("an answer that kill -9 cuts short is interrupted with its text, replays once and can be resumed", async ({
  startWithModel,
}) => {
  const story = "Once upon a time there was a server that nobody wanted to lose a word of. ".repeat(20);
  const { app, model } = await startWithModel(
    [[say(story, { delayMs: 20 })], [say("The whole story.")]],
    noServers,
  );
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

test("what waits behind an answer survives kill -9, and is asked behind the answer that goes on", async ({
  startWithModel,
}) => {
  const story = "And then nothing happened for a long while. ".repeat(20);
  const { app } = await startWithModel(
    [[say(story, { delayMs: 20 })], [say("The whole story.")], [say("A sequel.")]],
    noServers,
  );
  const api = apiOf(app);
  const live = await api.ask("Tell me a story");
  await live.until((events) => logged(events).length >= 5);
  const message = { text: "And then?", when: "after", clientMessageId: "sequel" };
  const { id } = await api.post<{ id: string }>(`/api/runs/${live.runId}/messages`, message);
  await app.kill9();
  await live.closed;
  await app.restart();
  const path = `/api/runs/${live.runId}/messages`;
  expect(await api.get(path)).toMatchObject({ items: [{ id, text: "And then?", when: "after" }] });
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${live.runId}/resume`);
  const end = (await api.replay(runId)).events.findLast(({ event }) => event === "end");
  const next = end?.event === "end" ? end.data.next : undefined;
  expect(endOf((await api.replay(next ?? "")).events)).toMatchObject({ finalText: "A sequel." });
  const { messages } = await api.conversation((await api.run(runId)).conversationId);
  expect(messages.filter(({ role }) => role === "user").map((asked) => asked.id)).toEqual([
    expect.any(String),
    id,
  ]);
  expect(await api.get(path)).toMatchObject({ items: [] });
});

test("kill -9 at six random moments loses no acknowledged message and doubles none", async ({
  startWithModel,
}) => {
  test.setTimeout(120_000);
  const { app } = await startWithModel(
    () => [say("one two three four five six seven eight", { delayMs: 25 })],
    noServers,
  );
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
