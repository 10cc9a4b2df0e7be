import { afterEach, expect, test } from "vitest";
import { openProviders } from "./providers";
import { startGeminiServer } from "./testing/gemini-server";
import { startOpenAiServer } from "./testing/openai-server";
import { callTools, cut, fade, fail, fault, hang, raw, type Step, say } from "./testing/steps";
import { collect, textOf, tool, turn, user } from "./testing/turn";
import type { WireServer } from "./testing/wire-server";

const key = "sk-very-secret-key";
let server: WireServer | undefined;
afterEach(() => server?.close());

const wires = ["google", "openai"] as const;

async function open(wire: (typeof wires)[number], steps: Step[]) {
  server = await (wire === "google" ? startGeminiServer([steps]) : startOpenAiServer([steps]));
  const config = { apiKey: key, baseURL: server.url };
  const providers = openProviders({ [wire]: config, ollama: {} });
  return { server, provider: providers.provider(`${wire}/gemini-2.5-flash`) };
}

const cases: [what: string, code: string, steps: Step[], says: RegExp][] = [
  ["a refused key", "auth", [fail(401, `bad key ${key}`)], /did not accept the key .*_API_KEY/],
  ["a forbidden key", "auth", [fail(403, "no")], /_API_KEY/],
  [
    "a key that Gemini calls an invalid argument",
    "auth",
    [fail(400, "API key not valid. Please pass one.")],
    /_API_KEY/,
  ],
  ["a limit", "rate_limited", [fail(429, "Slow down")], /rate limit or quota.*Slow down/],
  ["a long history", "context_overflow", [fail(400, "maximum context length is 8192 tokens")], /longer than/],
  [
    "a long history of Gemini",
    "context_overflow",
    [fail(400, "The input token count (9) exceeds the maximum")],
    /longer than/,
  ],
  ["a missing model", "bad_response", [fail(404, "model not found")], /no model gemini-2.5-flash.*_BASE_URL/],
  [
    "a model without tools",
    "bad_response",
    [fail(400, "llama2 does not support tools")],
    /does not support tools/,
  ],
  ["a broken server", "unavailable", [fail(500, "oops")], /problem of its own \(500\)/],
  ["an overloaded server", "unavailable", [fail(503, "The model is overloaded")], /overloaded/],
  ["a gateway that waited too long", "timeout", [fail(504, "deadline")], /in time/],
  ["an error page", "unavailable", [fail(502, "", { body: "<html>" })], /502/],
  ["an error in the middle", "unavailable", [say("Half an "), fault(503, "went away")], /went away/],
  ["a limit in the middle", "rate_limited", [say("Half an "), fault(429, "quota")], /quota/],
  ["a cut connection", "unavailable", [say("Half an "), cut], /broke before the answer was complete/],
  ["an end without a reason", "unavailable", [say("Half an "), fade], /broke before the answer was complete/],
  [
    "something that is no JSON",
    "bad_response",
    [say("Half an "), raw("data: {oops\n\n")],
    /could not answer/,
  ],
];

for (const wire of wires) {
  test.each(cases)(`${wire}: %s is %s`, async (_what, code, steps, says) => {
    const { provider } = await open(wire, steps);
    const { chunks, error } = await collect(provider, turn([user("Hi")]));
    expect(error).toMatchObject({ name: "ProviderError", code });
    expect(String(error)).toMatch(says);
    expect(String(error)).not.toContain(key);
    expect(textOf(chunks)).toBe(steps[0]?.type === "text" ? "Half an " : "");
    expect(chunks.some((chunk) => chunk.type === "usage")).toBe(false);
  });

  test(`${wire}: a turn is asked for once, whatever comes`, async () => {
    const { provider, server } = await open(wire, [fail(503)]);
    await collect(provider, turn([user("Hi")]));
    expect(server.requests).toHaveLength(1);
  });

  test(`${wire}: how long to wait is taken from the answer`, async () => {
    const { provider } = await open(wire, [fail(429, "Slow down", { headers: { "retry-after": "7" } })]);
    const { error } = await collect(provider, turn([user("Hi")]));
    expect(error).toMatchObject({ retryAfterMs: 7_000 });
  });

  test(`${wire}: Stop in the middle ends the turn with the signal's reason and closes the request`, async () => {
    const { provider, server } = await open(wire, [say("Half "), hang]);
    const stop = new AbortController();
    const reason = new Error("stopped");
    const { chunks, error } = await collect(provider, turn([user("Hi")], { signal: stop.signal }), () =>
      stop.abort(reason),
    );
    expect(error).toBe(reason);
    expect(textOf(chunks)).toBe("Half ");
    expect(await (await server.request(0)).ended).toBe("client gone");
  });

  test(`${wire}: Stop before the first piece does so, too`, async () => {
    const { provider, server } = await open(wire, [hang]);
    const stop = new AbortController();
    const ending = collect(provider, turn([user("Hi")], { signal: stop.signal }));
    const request = await server.request(0);
    stop.abort(new Error("stopped"));
    expect(String((await ending).error)).toBe("Error: stopped");
    expect(await request.ended).toBe("client gone");
  });

  test(`${wire}: a reader that leaves closes the request`, async () => {
    const { provider, server } = await open(wire, [say("Half "), hang]);
    for await (const _chunk of provider.stream(turn([user("Hi")]))) break;
    expect(await (await server.request(0)).ended).toBe("client gone");
  });

  test(`${wire}: a signal that has fired sends nothing`, async () => {
    const { provider, server } = await open(wire, [say("Hi")]);
    const { error } = await collect(
      provider,
      turn([user("Hi")], { signal: AbortSignal.abort(new Error("no")) }),
    );
    expect(String(error)).toBe("Error: no");
    expect(server.requests).toHaveLength(0);
  });
}

test("the delay that Gemini puts into the body is taken, too", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }];
  const body = { error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED", details } };
  const { provider } = await open("google", [fail(429, "", { body })]);
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 17_000 });
});

test("a call that the connection cut short comes not out at all", async () => {
  const { provider } = await open("openai", [
    raw(
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"a__x","arguments":"{\\"a"}}]}}]}\n\n',
    ),
    cut,
  ]);
  const { chunks, error } = await collect(provider, turn([user("Hi")], { tools: [tool("a__x")] }));
  expect(error).toMatchObject({ code: "unavailable" });
  expect(chunks).toEqual([]);
});

test("calls before an error in the middle are followed by no usage", async () => {
  const { provider } = await open("google", [callTools({ name: "a__x" }), cut]);
  const { chunks } = await collect(provider, turn([user("Hi")], { tools: [tool("a__x")] }));
  expect(chunks.map(({ type }) => type)).toEqual(["tool_call"]);
});

test("an address where nothing listens is named together with its variable", async () => {
  const { server } = await open("openai", []);
  const port = new URL(server.url).port;
  await server.close();
  const provider = openProviders({
    openai: { baseURL: `http://user:pass@127.0.0.1:${port}/v1` },
    ollama: { baseURL: `127.0.0.1:${port}/` },
  });
  const custom = await collect(provider.provider("openai/x"), turn([user("Hi")]));
  expect(custom.error).toMatchObject({ code: expect.stringMatching(/unavailable|bad_response/) });
  expect(String(custom.error)).not.toContain("pass");
  const ollama = await collect(provider.provider("ollama/x"), turn([user("Hi")]));
  expect(ollama.error).toMatchObject({ code: "unavailable" });
  expect(String(ollama.error)).toContain(`Nothing answers at http://127.0.0.1:${port}/v1`);
  expect(String(ollama.error)).toContain("OLLAMA_BASE_URL");
});
