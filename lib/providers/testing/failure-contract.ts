import { afterEach, expect, test } from "vitest";
import { withRetry } from "@/lib/agent/with-retry";
import { type Adapter, type AdapterName, adapters, openAdapter, secretKey } from "./adapters";
import { callTools, cut, fade, fail, fault, hang, raw, type Step, say } from "./steps";
import { callsOf, collect, textOf, tool, turn, user } from "./turn";
import type { WireServer } from "./wire-server";

type Case = [what: string, code: string, steps: Step[], says: RegExp];

const cases = ({ model, refusal, keyless }: Adapter): Case[] => [
  ["a refused key", "auth", [fail(401, `bad key ${keyless ? "" : secretKey}`)], refusal],
  ["a forbidden key", "auth", [fail(403, "no")], refusal],
  [
    "a key that Gemini calls an invalid argument",
    "auth",
    [fail(400, "API key not valid. Please pass one.")],
    refusal,
  ],
  [
    "a limit",
    "rate_limited",
    [fail(429, "Slow down")],
    /The rate limit or quota of \S.* has been reached\. .*Slow down/,
  ],
  ["a long history", "context_overflow", [fail(400, "maximum context length is 8192 tokens")], /longer than/],
  [
    "a long history of Gemini",
    "context_overflow",
    [fail(400, "The input token count (9) exceeds the maximum")],
    /longer than/,
  ],
  [
    "a missing model",
    "bad_response",
    [fail(404, "model not found")],
    new RegExp(`no model ${model}.*_BASE_URL`),
  ],
  [
    "a model without tools",
    "bad_response",
    [fail(400, "llama2 does not support tools")],
    /does not support tools/,
  ],
  ["a broken server", "unavailable", [fail(500, "oops")], /had a server error \(500\)/],
  ["an overloaded server", "unavailable", [fail(503, "The model is overloaded")], /overloaded/],
  ["a gateway that waited too long", "timeout", [fail(504, "deadline")], /in time/],
  ["an error page", "unavailable", [fail(502, "", { body: "<html>" })], /502/],
  ["an error in the middle", "unavailable", [say("Half an "), fault(503, "went away")], /went away/],
  ["a server's error after text", "unavailable", [say("Half an "), fault(500, "oops")], /oops/],
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

/** What every adapter makes of a request that fails, breaks or is stopped. */
export function failsAsAgreed(name: AdapterName): void {
  let server: WireServer | undefined;
  afterEach(() => server?.close());

  async function open(steps: Step[]) {
    const opened = await openAdapter(name, [steps]);
    server = opened.server;
    return opened;
  }
  const tools = [tool("a__one")];

  test.each(cases(adapters[name]))(`${name}: %s is %s`, async (_what, code, steps, says) => {
    const { provider } = await open(steps);
    for (const offered of [[], tools]) {
      // What is said without tools is prose, which is no half of a JSON answer.
      if (offered.length === 0 && name === "prompted JSON" && steps[0]?.type === "text") continue;
      const { chunks, error } = await collect(provider, turn([user("Hi")], { tools: offered }));
      expect(error).toMatchObject({ name: "ProviderError", code });
      expect(String(error)).toMatch(says);
      expect(String(error)).not.toContain(secretKey);
      expect(textOf(chunks)).toBe(steps[0]?.type === "text" ? "Half an " : "");
      expect(chunks.some((chunk) => chunk.type === "usage")).toBe(false);
    }
  });

  test(`${name}: a turn is asked for once, whatever comes`, async () => {
    const { provider, server } = await open([fail(503)]);
    await collect(provider, turn([user("Hi")], { tools }));
    expect(server.requests).toHaveLength(1);
  });

  test(`${name}: what failed after it had shown a text is not tried again`, async () => {
    const { provider, server } = await open([say("Half an "), fault(500, "oops")]);
    const { chunks } = await collect(withRetry(provider, { delayMs: 1 }), turn([user("Hi")], { tools }));
    expect(textOf(chunks)).toBe("Half an ");
    expect(server.requests).toHaveLength(1);
  });

  test(`${name}: how long to wait is taken from the answer`, async () => {
    const { provider } = await open([fail(429, "Slow down", { headers: { "retry-after": "7" } })]);
    const { error } = await collect(provider, turn([user("Hi")], { tools }));
    expect(error).toMatchObject({ retryAfterMs: 7_000 });
  });

  test(`${name}: calls before a cut are followed by no usage`, async () => {
    const { provider } = await open([callTools({ name: "a__one" }), cut]);
    const { chunks, error } = await collect(provider, turn([user("Hi")], { tools }));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(chunks.filter(({ type }) => type !== "tool_call" && type !== "tool_input")).toEqual([]);
    expect(callsOf(chunks).length).toBeLessThanOrEqual(1);
  });

  test(`${name}: Stop in the middle ends the turn with the signal's reason and closes the request`, async () => {
    const { provider, server } = await open([say("Half "), hang]);
    const stop = new AbortController();
    const reason = new Error("stopped");
    const asked = turn([user("Hi")], { signal: stop.signal, tools });
    const { chunks, error } = await collect(provider, asked, () => stop.abort(reason));
    expect(error).toBe(reason);
    expect(textOf(chunks)).toBe("Half ");
    expect(await (await server.request(0)).ended).toBe("client gone");
  });

  test(`${name}: Stop before the first piece does so, too`, async () => {
    const { provider, server } = await open([hang]);
    const stop = new AbortController();
    const ending = collect(provider, turn([user("Hi")], { signal: stop.signal, tools }));
    const request = await server.request(0);
    stop.abort(new Error("stopped"));
    expect(String((await ending).error)).toBe("Error: stopped");
    expect(await request.ended).toBe("client gone");
  });

  test(`${name}: a reader that leaves closes the request`, async () => {
    const { provider, server } = await open([say("Half "), hang]);
    for await (const _chunk of provider.stream(turn([user("Hi")], { tools }))) break;
    expect(await (await server.request(0)).ended).toBe("client gone");
  });

  test(`${name}: a signal that has fired sends nothing`, async () => {
    const { provider, server } = await open([say("Hi")]);
    const signal = AbortSignal.abort(new Error("no"));
    const { error } = await collect(provider, turn([user("Hi")], { signal, tools }));
    expect(String(error)).toBe("Error: no");
    expect(server.requests).toHaveLength(0);
  });
}
