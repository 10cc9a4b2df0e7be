import OpenAI from "openai";
import type { NewApiToken } from "@/lib/protocol/api-tokens";
import type { ListedRun, Page } from "@/lib/protocol/http";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expect, test } from "../support/cluster-test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

const model = "openai/test-model";
const question: OpenAI.ChatCompletionMessageParam = { role: "user", content: "Which one?" };
const tools = ["pick"].map((name) => ({
  type: "function" as const,
  function: { name, description: "Picks one.", parameters: { type: "object", properties: {} } },
}));

test("what our tools have returned at one instance is put back by the other, and who waits at one is answered at the other", async ({
  startTwo,
  gated,
}) => {
  gated.open();
  const { instances, at } = await startTwo(({ toolResults }) => {
    if (toolResults.length > 1) return [say(`It has read ${toolResults.join(" and ")}.`)];
    return [callTools({ name: "gated__work", args: { key: "k" } }, { name: "pick", args: {} })];
  });
  const [first, last] = instances;
  const there = apiOf(at(last));
  const { value } = await there.post<NewApiToken>("/api/tokens", {
    ...{ name: "A script", scopes: ["chat"], servers: ["gated"], expiresAt: null },
    ...{ onApproval: "wait", waitMs: 60_000 },
  });
  const openai = (app: App) => new OpenAI({ apiKey: value, baseURL: `${app.ownUrl}/v1`, maxRetries: 0 });
  const waiting = async () => (await there.get<Page<ListedRun>>("/api/runs?kind=v1&status=waiting")).items;

  const asking = openai(first).chat.completions.create({ model, messages: [question], tools });
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [run] = await waiting();
  await there.post(`/api/runs/${run?.id}/answer`, {
    ...{ requestId: run?.pending[0]?.requestId, decision: "approve" },
  });
  const message = (await asking).choices[0]?.message;
  expect(message?.tool_calls).toMatchObject([{ function: { name: "pick" } }]);
  if (!message) throw new Error("It has answered.");

  const results = (message.tool_calls ?? []).map(({ id }) => ({
    ...{ role: "tool" as const, tool_call_id: id, content: "the blue one" },
  }));
  const answer = await openai(last).chat.completions.create({
    ...{ model, tools, messages: [question, message, ...results] },
  });
  expect(answer.choices[0]?.message.content).toBe("It has read work is done and the blue one.");
  expect(gated.calls()).toEqual(["work"]);
});
