import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { noServers } from "../support/default-servers";
import { chunksOf, endOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const kinds = (events: Parameters<typeof chunksOf>[0]) => chunksOf(events).map(({ type }) => type);
const work = (...numbers: number[]): Step[] => [
  callTools(...numbers.map((n) => ({ name: "gated__work", args: { n } }))),
];
const cost = (tokens: number): Step => ({ type: "usage", input: tokens, output: 0 });

test("a budget that is used up waits for an answer, also over a crash, and goes on from there", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel([work(1, 2), work(3), [say("It is done.")]], {
    mcpConfig: { mcpServers: { gated: gated.config } },
    env: { TOOL_APPROVAL: "allow" },
  });
  gated.open();
  const api = apiOf(app);
  await expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  const live = await api.ask("Work", { options: { budget: { toolCalls: 1 } } });
  await live.closed;
  expect(endOf(live.events)).toMatchObject({ status: "waiting", stopReason: "budget" });
  expect(gated.calls()).toEqual(["work"]);

  await app.kill9();
  await app.restart();
  await expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  const { pending } = await api.run(live.runId);
  expect(pending).toMatchObject([
    { type: "budget_request", limit: "toolCalls", of: 1, used: { toolCalls: 1 } },
  ]);
  const answer = { requestId: pending[0]?.requestId, decision: "approve" };
  const refused = await api.send("POST", `/api/runs/${live.runId}/answer`, answer);
  expect(refused.status).toBe(400);
  expect((await refused.json()).error.message).toBe("decision: this question takes more, finish, stop.");

  const more = await api.post<{ runId: string }>(`/api/runs/${live.runId}/answer`, {
    ...answer,
    decision: "more",
  });
  const second = await api.replay(more.runId);
  expect(kinds(second.events).slice(0, 3)).toEqual(["answer", "tool_start", "tool_result"]);
  expect(endOf(second.events)).toMatchObject({ status: "waiting", stopReason: "budget" });
  expect(gated.calls()).toEqual(["work", "work"]);

  const [asked] = (await api.run(more.runId)).pending;
  expect(asked).toMatchObject({ limit: "toolCalls", of: 2 });
  const finish = await api.post<{ runId: string }>(`/api/runs/${more.runId}/answer`, {
    requestId: asked?.requestId,
    decision: "finish",
  });
  const third = await api.replay(finish.runId);
  expect(endOf(third.events)).toMatchObject({ status: "completed", finalText: "It is done." });
  expect(gated.calls()).toEqual(["work", "work"]);
  expect(model.requests[2]?.toolResults.at(-1)).toBe(
    "Not run: the budget of this run is used up. Answer now with what you have.",
  );
});

test("tokens are counted over all turns, and Stop ends the run with its calls answered", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel(
    [[cost(600), ...work(1)], [cost(600), ...work(2)], [say("Done.")]],
    {
      mcpConfig: { mcpServers: { gated: gated.config } },
      env: { TOOL_APPROVAL: "allow" },
    },
  );
  gated.open();
  const api = apiOf(app);
  await expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  const live = await api.ask("Work", { options: { budget: { tokens: 1_000 } } });
  await live.closed;
  const [asked] = (await api.run(live.runId)).pending;
  expect(asked).toMatchObject({ limit: "tokens", of: 1_000, used: { toolCalls: 1 } });
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${live.runId}/answer`, {
    requestId: asked?.requestId,
    decision: "stop",
  });
  const ended = await api.replay(runId);
  expect(endOf(ended.events)).toMatchObject({ status: "stopped" });
  const { conversationId } = await api.run(runId);
  const { messages } = await api.conversation(conversationId);
  expect(messages.at(-1)).toMatchObject({ role: "tool", results: [{ status: "error" }] });
  expect(model.requests).toHaveLength(2);
});

test("the same call for the third time in a row is asked about", async ({ startWithModel, gated }) => {
  const { app } = await startWithModel(() => work(1), {
    mcpConfig: { mcpServers: { gated: gated.config } },
    env: { TOOL_APPROVAL: "allow" },
  });
  gated.open();
  const api = apiOf(app);
  await expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  const live = await api.ask("Work");
  await live.closed;
  expect((await api.run(live.runId)).pending).toMatchObject([{ limit: "repeat", of: 3 }]);
  expect(gated.calls()).toEqual(["work", "work"]);
});

test("a budget that makes no sense is refused with its field", async ({ start }) => {
  const api = apiOf(await start(noServers));
  const refused = async (budget: unknown) => {
    const response = await api.send("POST", "/api/chat", { message: { text: "Hi" }, options: { budget } });
    expect(response.status).toBe(400);
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  expect(await refused({ tokens: -5 })).toMatch(/^options\.budget\.tokens: /);
  expect(await refused({ cost: 0 })).toMatch(/^options\.budget\.cost: /);
  expect(await refused({ timeMs: 1e15 })).toMatch(/^options\.budget\.timeMs: /);
  expect(await refused({ toolCalls: 1.5 })).toMatch(/^options\.budget\.toolCalls: /);
  expect(await refused({})).toBe("options.budget: name at least one of tokens, toolCalls, cost and timeMs.");
  expect(await refused({ money: 5 })).toMatch(/^options\.budget/);
});
