import { expect, test } from "vitest";
import { executeWithTools, TimeoutError } from "./execute-with-tools";
import { adder, asks, call, scriptedProvider, stop, text } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";

const { signal } = new AbortController();

test("collects the chunks and returns the result", async () => {
  const provider = scriptedProvider([call("a"), stop("tool_use")], [text("4"), stop("end_turn")]);
  const result = await executeWithTools({ provider, tools: adder, system: "", history: asks, signal });
  expect(result).toMatchObject({ stopReason: "end_turn", finalText: "4", iterationsUsed: 2 });
  expect(result.chunks.map(({ type }) => type).join(" ")).toBe(
    "iteration tool_call usage tool_result iteration text usage",
  );
});

test("returns a failure that is no time-out as a result", async () => {
  const provider = scriptedProvider([call("a"), stop("tool_use")]);
  const result = await executeWithTools({ provider, system: "", history: asks, signal });
  expect(result).toMatchObject({ stopReason: "error", error: { code: "no_tools" } });
});

test("throws a TimeoutError that carries what there is", async () => {
  const provider = scriptedProvider([text("Wait."), call("a"), stop("tool_use")]);
  const tools = withIntents({ list: () => [], call: () => new Promise(() => {}) });
  const error = await executeWithTools({
    provider,
    tools,
    system: "",
    history: asks,
    signal,
    timeoutMs: 20,
  }).catch((cause: unknown) => cause);
  if (!(error instanceof TimeoutError)) throw new Error("It did not throw a TimeoutError.");
  expect(error.result).toMatchObject({ stopReason: "timeout", timedOut: true, finalText: "Wait." });
  expect(error.result.chunks.map(({ type }) => type).join(" ")).toBe(
    "iteration text tool_call usage tool_start tool_result",
  );
});
