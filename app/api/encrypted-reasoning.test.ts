import { afterAll, expect, test } from "vitest";
import { startBothApisServer } from "@/lib/providers/testing/both-apis-server";
import { fail, say, think } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const refusal =
  "Function tools with reasoning_effort are not supported for smart in /v1/chat/completions. Please use /v1/responses instead.";
const model = await startBothApisServer(({ path }) =>
  path.endsWith("/responses")
    ? [think("Let me see.", { signature: "sealed-1" }), think("", { signature: "sealed-2" }), say("Yes.")]
    : [fail(400, refusal)],
);
afterAll(() => model.close());
withApplication({}, { OPENAI_BASE_URL: model.url });

const ask = (text: string, conversationId?: string) =>
  callApi("POST", "/api/chat", {
    message: { text },
    model: "openai/smart",
    ...(conversationId && { conversationId }),
  });

test("encrypted reasoning goes back with the next question, and no answer of ours shows it", async () => {
  const shown: string[] = [];
  const answer = await ask("Is it?");
  shown.push(await answer.clone().text());
  const { conversationId, runId, status, chunks } = await readStream(answer);
  expect(status).toBe("completed");
  expect(chunks).toContainEqual(expect.objectContaining({ type: "reasoning", content: "Let me see." }));
  shown.push(await (await ask("Really?", conversationId)).text());
  expect(model.requests.map(({ path }) => path)).toEqual([
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/responses",
  ]);
  const input = model.requests[2]?.body.input;
  expect(JSON.stringify(input)).toMatch(/"encrypted_content":"sealed-1".*"encrypted_content":"sealed-2"/);

  const { token } = await (await callApi("POST", `/api/conversations/${conversationId}/shares`, {})).json();
  for (const path of [
    `/api/conversations/${conversationId}`,
    `/api/runs/${runId}`,
    `/api/runs/${runId}/stream`,
    `/api/share/${token}`,
  ]) {
    const response = await callApi("GET", path);
    expect(response.status).toBe(200);
    shown.push(await response.text());
  }
  for (const text of shown) expect(text).not.toMatch(/sealed|signature/);
  expect(shown.join()).toContain("Let me see.");
});
