import { expect, test } from "vitest";
import type { ToolBox } from "./ports";
import { adder, call, ok, run, scriptedProvider, stop, text, writes } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { answerToolName, withStructuredOutput } from "./with-structured-output";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer" } },
  required: ["city", "people"],
};
const good = { city: "Kyoto", people: 1_460_000 };
const tools: ToolBox = withIntents({
  list: () => [{ name: "demo__add", description: "", inputSchema: { type: "object" } }],
  call: async ({ id }) => ok(id),
});
const structured = (...script: Parameters<typeof scriptedProvider>) => {
  const scripted = scriptedProvider(...script);
  return { scripted, provider: withStructuredOutput(scripted, schema) };
};

test("a model without tools is asked in the provider's own way", async () => {
  const { scripted, provider } = structured([
    text('{"city":"Kyoto",'),
    text('"people":1460000}'),
    stop("end_turn"),
  ]);
  const { log, result } = await run({ provider, tools: { ...adder, list: () => [] } });
  expect(scripted.turns[0]?.responseSchema).toBe(schema);
  expect(log.filter(({ type }) => type === "text")).toEqual([
    { type: "text", content: JSON.stringify(good), format: "json" },
  ]);
  expect(result.historyDelta).toEqual([
    { role: "assistant", parts: [{ type: "text", text: JSON.stringify(good), format: "json" }] },
  ]);
});

test("arguments are told while they are written, and those of the final tool are not", async () => {
  const { provider } = structured(
    [writes("a", "{"), writes("a", "}"), call("a"), stop("tool_use")],
    [writes("b", '{"ci', answerToolName), call("b", answerToolName, good), stop("tool_use")],
  );
  const { kinds } = await run({ provider, tools });
  expect(kinds).toBe(
    "iteration tool_input tool_input tool_call usage tool_start tool_result iteration text usage result",
  );
});

test("a model with tools answers through a final tool, which ends the run and is no call", async () => {
  const { scripted, provider } = structured(
    [text("I look."), call("a"), stop("tool_use")],
    [call("b", answerToolName, good), stop("tool_use")],
  );
  const { kinds, result } = await run({ provider, tools });
  expect(kinds).toBe("iteration text tool_call usage tool_start tool_result iteration text usage result");
  expect(scripted.turns[0]?.tools.map(({ name }) => name)).toEqual(["demo__add", answerToolName]);
  expect(scripted.turns[0]?.responseSchema).toBeUndefined();
  expect(result).toMatchObject({ stopReason: "end_turn", finalText: JSON.stringify(good) });
});

test("an answer that does not fit is asked for once more with the problems, visibly and at its cost", async () => {
  const { scripted, provider } = structured(
    [text('{"city":"Kyoto","people":"many"}'), stop("end_turn")],
    [text(JSON.stringify(good)), stop("end_turn")],
  );
  const { kinds, result } = await run({ provider });
  expect(kinds).toBe("iteration usage notice text usage result");
  expect(JSON.stringify(scripted.turns[1]?.history.at(-1))).toMatch(/people/);
  expect(result).toMatchObject({ stopReason: "end_turn", usage: { inputTokens: 2 } });
  expect(result.historyDelta).toHaveLength(1);
});

test("words in the place of the final tool are asked for again, by that tool", async () => {
  const { scripted, provider } = structured(
    [text("Kyoto has many."), stop("end_turn")],
    [call("a", answerToolName, good), stop("tool_use")],
  );
  const { result } = await run({ provider, tools });
  expect(scripted.turns[1]?.toolChoice).toEqual({ name: answerToolName });
  expect(result.finalText).toBe(JSON.stringify(good));
});

test("an answer that never fits ends the run with what is wrong", async () => {
  const bad = [text('{"city":7}'), stop("end_turn")];
  const { provider } = structured(bad, bad);
  const { result } = await run({ provider });
  expect(result).toMatchObject({ stopReason: "error", error: { code: "bad_response" } });
  expect(result.error?.message).toMatch(/city/);
});

test("JSON in a fence is read, and an answer that is cut off stays as it is", async () => {
  const fenced = structured([text(`\`\`\`json\n${JSON.stringify(good)}\n\`\`\``), stop("end_turn")]);
  expect((await run({ provider: fenced.provider })).result.finalText).toBe(JSON.stringify(good));
  const cut = structured([text('{"city":'), stop("max_tokens")]);
  expect((await run({ provider: cut.provider })).result).toMatchObject({
    stopReason: "max_tokens",
    finalText: '{"city":',
  });
});
