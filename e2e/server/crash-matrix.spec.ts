import type { Matrix } from "@/lib/protocol/matrix";
import { hang, say, usage } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expect, test } from "../support/server-test";

const names = ["a", "b", "c", "d", "e", "f"];
const interrupted = "interrupted interrupted interrupted interrupted";

test("a matrix goes on after kill -9: what ran is interrupted, what was queued begins, and no cell is asked twice", async ({
  startWithModel,
}) => {
  let isBack = false;
  const { app, model } = await startWithModel(
    ({ model: name }) =>
      isBack || name === "test-model" || name === "a" ? [say(`From ${name}.`), usage(9, 1)] : [hang],
    { mcpConfig: { mcpServers: {} } },
  );
  const api = apiOf(app);
  const first = await api.ask("Work");
  await first.closed;
  const { id } = await api.post<{ id: string }>("/api/matrix", {
    ...{ runIds: [first.runId], models: names.map((name) => `openai/${name}`) },
    ...{ tape: "strict", budget: { tokens: 1_000 } },
  });
  const read = () => api.get<Matrix>(`/api/matrix/${id}`);
  const statuses = async () => (await read()).cells.map(({ status }) => status).join(" ");
  await expect.poll(statuses).toBe("completed running running running running queued");
  await expect.poll(() => model.requests.length).toBe(6);
  const before = await read();

  await app.kill9();
  isBack = true;
  await app.restart();
  await expect.poll(statuses).toBe(`completed ${interrupted} completed`);
  const after = await read();
  expect(after).toMatchObject({ status: "completed", spent: { tokens: 20 } });
  expect(after.cells[0]).toEqual(before.cells[0]);
  const results = ({ cells }: Matrix) => cells.map(({ result }) => result);
  expect(results(after).slice(0, 5)).toEqual(results(before).slice(0, 5));
  const asked = () => model.requests.map(({ model: name }) => name).toSorted();
  expect(asked()).toEqual([...names, "test-model"]);

  // What was cut short is still there, and goes on when somebody wants it.
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${after.cells[1]?.result}/resume`);
  await api.replay(runId);
  await expect.poll(statuses).toBe("completed completed interrupted interrupted interrupted completed");
  expect((await read()).cells[1]).toMatchObject({ result: results(before)[1], last: runId });
  expect((await read()).spent.tokens).toBe(30);
  expect(asked()).toEqual(["a", "b", ...names.slice(1), "test-model"]);
  const { conversationId } = await api.run(first.runId);
  const { messages } = await api.conversation(conversationId);
  expect(messages[0]?.siblings).toHaveLength(1 + names.length);
});
