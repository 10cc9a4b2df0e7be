import { rmSync } from "node:fs";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { endOf, followStream } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

test("a call that was out for the second time when the server died is asked about, and the answer goes on from it", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel(
    [[callTools({ name: "gated__work", args: { n: 1 } })], [say("Done.")], [say("Done again.")]],
    { mcpConfig: { mcpServers: { gated: gated.config } }, env: { TOOL_APPROVAL: "allow" } },
  );
  const api = apiOf(app);
  const isReady = () => expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  await isReady();
  gated.open();
  const first = await api.ask("Work");
  await first.closed;
  const { conversationId } = await api.run(first.runId);
  const old = (await api.conversation(conversationId)).messages;
  const fromCall = callIn(old);
  rmSync(`${gated.journal}.open`);

  const body = { conversationId, regenerate: old[1]?.id, fromCall };
  const again = await followStream(await api.send("POST", "/api/chat", body));
  await expect.poll(gated.calls).toEqual(["work", "work"]);
  await app.kill9();
  await app.restart();
  expect((await api.run(again.runId)).status).toBe("interrupted");
  const cut = (await api.conversation(conversationId)).messages;
  expect(cut.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(cut[2]).toMatchObject({ results: [{ id: callIn(cut), status: "unknown" }] });
  expect(callIn(cut)).not.toBe(fromCall);

  await isReady();
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${again.runId}/resume`);
  expect(endOf((await api.replay(runId)).events).status).toBe("waiting");
  const [asked] = (await api.run(runId)).pending;
  expect(asked).toMatchObject({ reason: "outcome_unknown", call: { id: callIn(cut) } });
  expect(gated.calls()).toEqual(["work", "work"]);
  gated.open();
  const answer = { requestId: asked?.requestId, decision: "retry" };
  const next = await api.post<{ runId: string }>(`/api/runs/${runId}/answer`, answer);
  const done = await api.replay(next.runId);
  expect(endOf(done.events)).toMatchObject({ status: "completed", finalText: "Done again." });
  expect(model.requests[2]?.toolResults).toEqual(["work is done"]);

  const { messages } = await api.conversation(conversationId);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(messages[1]?.siblings).toEqual([old[1]?.id, messages[1]?.id]);
  await api.patch(`/api/conversations/${conversationId}`, { leafId: old[1]?.id });
  const shown = (await api.conversation(conversationId)).messages;
  expect(shown.map(({ id }) => id)).toEqual(old.map(({ id }) => id));
});

const callIn = (messages: readonly { role: string; parts?: { type: string; id?: string }[] }[]) =>
  messages.flatMap(({ parts = [] }) => parts.filter(({ type }) => type === "tool_call"))[0]?.id;
