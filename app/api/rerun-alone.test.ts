import { expect, test } from "vitest";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi } from "./testing/call-api";
import { ask, list, model } from "./testing/fork";
import { again } from "./testing/go-on";

const turns = () => [[callTools(list("."))], [say("Nothing.")]];

test("the model is offered the tools of the recording, and gets their results, when their server is gone", async () => {
  const { runId } = await ask(...turns());
  const offered = model.requests.at(-1)?.tools;
  expect((await callApi("DELETE", "/api/mcp/servers/filesystem")).status).toBe(200);
  const { status, chunks } = await again(runId, { tape: "strict" }, ...turns());
  expect(status).toBe("completed");
  expect(chunks.find(({ type }) => type === "tool_result")).toMatchObject({ result: { status: "ok" } });
  expect(model.requests.at(-1)?.tools).toEqual(offered);
  expect(offered?.length).toBeGreaterThan(5);
});
