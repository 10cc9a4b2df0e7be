import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { chunksOf, endOf, logged } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const kinds = (events: Parameters<typeof chunksOf>[0]) => chunksOf(events).map(({ type }) => type);

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

  const { runId } = await api.post<{ runId: string }>(`/api/runs/${waiting.runId}/answer`, {
    requestId: pending[0]?.requestId,
    decision: "approve",
  });
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

async function serverIsReady(app: App): Promise<void> {
  await expect.poll(async () => (await apiOf(app).server("gated")).status).toBe("ready");
}
