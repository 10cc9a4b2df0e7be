import { expect, it } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";
import { type OtlpSpan, attributesOf as read, startCollector } from "./testing/otlp-collector";

const { url, spans } = await startCollector();
const model = await startOpenAiServer([
  [callTools({ name: "meta__meta" }, { name: "meta__fail" })],
  [{ type: "usage", input: 30, output: 4, cached: 10 }, say("Traced.")],
]);
withApplication(
  { meta: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "meta"] } },
  {
    OPENAI_BASE_URL: model.url,
    TOOL_APPROVAL: "allow",
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
  },
);

it("exports the run, its iterations, turns and calls over OTLP, and hands the trace to MCP servers", async () => {
  const body = { message: { text: "Whose trace is it?" }, model: "openai/test-model" };
  const run = await readStream(await callApi("POST", "/api/chat", body));
  expect(run.status).toBe("completed");
  await (await getDeps()).tracing?.close();

  const root = spans.find(({ name }) => name === "invoke_agent meguri");
  if (!root) throw new Error("There is no span of the run.");
  const shape = (parent: OtlpSpan): unknown[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent.spanId)
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map((span) => (shape(span).length > 0 ? [span.name, ...shape(span)] : span.name));
  expect(shape(root)).toEqual([
    ["iteration 1", "chat test-model", "execute_tool meta__fail", "execute_tool meta__meta"],
    ["iteration 2", "chat test-model"],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(read(root)).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "test-model",
    "gen_ai.conversation.id": run.conversationId,
    "meguri.run.id": run.runId,
    "meguri.stop_reason": "end_turn",
  });
  const turn = spans.filter(({ name }) => name === "chat test-model").map(read)[1];
  expect(turn).toMatchObject({
    "gen_ai.usage.input_tokens": 30,
    "gen_ai.usage.output_tokens": 4,
    "gen_ai.usage.cache_read.input_tokens": 10,
    "meguri.time_to_first_token_ms": expect.any(Number),
    "meguri.latency_ms": expect.any(Number),
  });
  const failed = spans.find(({ name }) => name === "execute_tool meta__fail");
  expect(failed && read(failed)).toMatchObject({ "error.type": "tool_error" });

  const call = spans.find(({ name }) => name === "execute_tool meta__meta");
  const result = run.chunks.find((chunk) => chunk.type === "tool_result" && chunk.result.status === "ok");
  expect(JSON.stringify(result)).toContain(`00-${root.traceId}-${call?.spanId}-01`);
});
