import { afterEach, expect, test } from "vitest";
import {
  delta,
  ending,
  event,
  type PlainServer,
  startPlainServer,
} from "@/lib/providers/testing/plain-server";
import { collect, kinds, textOf, turn, user } from "@/lib/providers/testing/turn";

let server: PlainServer | undefined;
afterEach(() => server?.close());

async function read(body: string) {
  server = await startPlainServer({ body });
  return collect(server.provider, turn([user("Hi")]));
}

const hello =
  delta({ role: "assistant", content: "" }) + delta({ content: "Hel" }) + delta({ content: "lo." });
const usage = {
  prompt_tokens: 9,
  completion_tokens: 3,
  prompt_tokens_details: { cached_tokens: 2 },
};
const counted = { inputTokens: 9, outputTokens: 3, cachedInputTokens: 2 };
const nothing = { inputTokens: 0, outputTokens: 0 };
const whole = { message: { role: "assistant", content: "Hello." }, finish_reason: "stop" };

test.each<[what: string, body: string, usage: object]>([
  ["as most servers write it", hello + ending("stop"), nothing],
  ["without [DONE]", hello + delta({}, "stop"), nothing],
  ["with events after [DONE]", hello + ending("stop") + delta({ content: "more" }), nothing],
  ["with line ends of Windows", (hello + ending("stop")).replaceAll("\n", "\r\n"), nothing],
  ["with line ends of old", (hello + ending("stop")).replaceAll("\n", "\r"), nothing],
  ["with comments", `: OPENROUTER PROCESSING\n\n${hello}: still there\n\n${ending("stop")}`, nothing],
  [
    "with names and numbers of events",
    `id: 1\nevent: message\nretry: 10\n${hello}${ending("stop")}`,
    nothing,
  ],
  ["with empty lines before it", `\r\n\n\n${hello}${ending("stop")}`, nothing],
  ["with a byte order mark", `\uFEFF${delta({ content: "Hello." })}${ending("stop")}`, nothing],
  ["with data without a space", (hello + ending("stop")).replaceAll("data: ", "data:"), nothing],
  [
    "with data over several lines",
    `data: {"choices":[{"delta":\ndata: {"content":"Hello."},\ndata: "finish_reason":"stop"}]}\n\n`,
    nothing,
  ],
  ["with empty data", `data:\n\n${hello}data: \n\n${ending("stop")}`, nothing],
  ["with usage in an event of its own", hello + delta({}, "stop") + event({ choices: [], usage }), counted],
  ["with usage beside the reason", hello + delta({}, "stop", { usage }) + event("[DONE]"), counted],
  [
    "with usage in every event",
    hello.replaceAll("]}", `],"usage":{"prompt_tokens":1}}`) + delta({}, "stop", { usage }),
    counted,
  ],
  ["with usage that is null", hello + delta({}, "stop", { usage: null }), nothing],
  ["with the reason beside the last words", delta({ content: "Hello." }, "stop"), nothing],
  [
    "with events that have no choices",
    event({ object: "ping" }) + event({ choices: [] }) + hello + ending("stop"),
    nothing,
  ],
  [
    "with choices without a delta",
    event({ choices: [{ index: 0, finish_reason: null }] }) + hello + ending("stop"),
    nothing,
  ],
  ["with content that is null", delta({ content: null }) + hello + ending("stop"), nothing],
  ["with an error that is null", event({ error: null, choices: [] }) + hello + ending("stop"), nothing],
  ["in parts", delta({ content: [{ type: "text", text: "Hello." }] }, "stop"), nothing],
  ["at once, by a server that does not stream", JSON.stringify({ choices: [whole], usage }), counted],
])("an answer %s is read", async (_what, body, counts) => {
  const { chunks, error } = await read(body);
  expect(error).toBeUndefined();
  expect(kinds(chunks)).toBe("text usage");
  expect(textOf(chunks)).toBe("Hello.");
  expect(chunks.at(-1)).toEqual({ type: "usage", stopReason: "end_turn", ...counts });
});

test.each<[what: string, delta: object]>([
  ["reasoning_content", { reasoning_content: "Hm." }],
  ["reasoning", { reasoning: "Hm." }],
  ["both, with the same", { reasoning_content: "Hm.", reasoning: "Hm." }],
  ["both, of which one is empty", { reasoning_content: "", reasoning: "Hm." }],
  ["a part of the content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] }],
])("a thought in %s is a thought", async (_what, thought) => {
  const { chunks } = await read(delta(thought) + hello + ending("stop"));
  expect(kinds(chunks)).toBe("reasoning text usage");
  expect(chunks[0]).toEqual({ type: "reasoning", content: "Hm." });
});

test("a refusal is shown, and is no good end", async () => {
  const { chunks, error } = await read(delta({ refusal: "I will not." }) + ending("stop"));
  expect(textOf(chunks)).toBe("I will not.");
  expect(error).toMatchObject({ code: "bad_response", message: expect.stringContaining("safety filter") });
});

test.each<[what: string, body: string, code: string, says: string]>([
  ["an object", event({ error: { message: "went away", code: 503 } }), "unavailable", "went away"],
  [
    "a limit",
    event({ error: { message: "too fast", type: "rate_limit_error" } }),
    "rate_limited",
    "too fast",
  ],
  ["a text", event({ error: "went away", error_type: "overloaded" }), "unavailable", "It said: went away"],
  [
    "beside an empty choice",
    event({ error: { message: "upstream", code: 502 }, choices: [{ delta: {}, finish_reason: "error" }] }),
    "unavailable",
    "upstream",
  ],
  [
    "as older versions of vLLM write it",
    event({ object: "error", message: "maximum context length is 10", code: 400 }),
    "context_overflow",
    "maximum context length",
  ],
  [
    "by the name of the event",
    `event: error\n${event({ message: "quota exceeded" })}`,
    "rate_limited",
    "quota",
  ],
  ["in plain words", event("{upstream hung up"), "bad_response", "upstream hung up"],
  ["a number", event("42"), "bad_response", "It said: 42"],
])("an error in the stream ends the turn after what was said: %s", async (_what, body, code, says) => {
  const { chunks, error } = await read(hello + body + ending("stop"));
  expect(textOf(chunks)).toBe("Hello.");
  expect(kinds(chunks)).toBe("text");
  expect(error).toMatchObject({ name: "ProviderError", code, message: expect.stringContaining(says) });
});

test.each<[what: string, body: string]>([
  ["nothing at all", ""],
  ["no reason before [DONE]", hello + event("[DONE]")],
  ["no reason before the end", hello],
  ["half an event", `${hello}data: {"choices":[{"delta":{"conte`],
  ["calls without a reason", delta({ tool_calls: [{ index: 0, function: { name: "a", arguments: "{}" } }] })],
])("an answer that was cut short is no answer: %s", async (_what, body) => {
  const { chunks, error } = await read(body);
  expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("broke before") });
  expect(chunks.some(({ type }) => type === "usage" || type === "tool_call")).toBe(false);
});

test.each<[what: string, body: string, code: string, says: RegExp]>([
  ["an error", JSON.stringify({ error: { message: "quota", code: 429 } }), "rate_limited", /quota/],
  ["an error in a list", JSON.stringify([{ error: { message: "no", code: 500 } }]), "unavailable", /no/],
  ["a detail", JSON.stringify({ detail: "Not Found" }), "bad_response", /It said: Not Found/],
  [
    "a web page",
    "<!doctype html><title>Welcome</title>",
    "bad_response",
    /a web page\. Check OPENAI_BASE_URL/,
  ],
])("what came as a success and is none is said: %s", async (_what, body, code, says) => {
  const { chunks, error } = await read(body);
  expect(chunks).toEqual([]);
  expect(error).toMatchObject({ name: "ProviderError", code, message: expect.stringMatching(says) });
});
