import { afterEach, expect, test } from "vitest";
import { openProviders } from "@/lib/providers/providers";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, cut, fail, raw, type Step } from "@/lib/providers/testing/steps";
import { collect, kinds, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireServer } from "@/lib/providers/testing/wire-server";

const key = "sk-very-secret-key";
let server: WireServer | undefined;
afterEach(() => server?.close());

const wires = ["google", "openai"] as const;

async function open(wire: (typeof wires)[number], steps: Step[]) {
  server = await (wire === "google" ? startGeminiServer([steps]) : startOpenAiServer([steps]));
  const config = { apiKey: key, baseURL: server.url };
  const providers = openProviders({ access: { [wire]: config } });
  return { server, provider: providers.provider(`${wire}/gemini-2.5-flash`) };
}

test("the delay that Gemini puts into the body is taken, too", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }];
  const body = { error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED", details } };
  const { provider } = await open("google", [fail(429, "", { body })]);
  const { error } = await collect(provider, turn([user("Hi")]));
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 17_000 });
});

test("what a server said ends as a sentence, so that what follows is not read as part of it", async () => {
  const told = async (said: string) => {
    const { provider } = await open("openai", [fail(429, said)]);
    const { error } = await collect(provider, turn([user("Hi")]));
    await server?.close();
    return (error as Error).message.replace(/^.*It said: /, "");
  };
  expect(await told("slow down")).toBe("slow down.");
  expect(await told("Slow down!")).toBe("Slow down!");
});

test("a Retry-After that is a date is the time until then, and none is longer than an hour", async () => {
  const after = async (header: string) => {
    const { provider } = await open("openai", [fail(429, "busy", { headers: { "retry-after": header } })]);
    const { error } = await collect(provider, turn([user("Hi")]));
    await server?.close();
    return (error as { retryAfterMs?: number }).retryAfterMs;
  };
  const inTenMinutes = await after(new Date(Date.now() + 600_000).toUTCString());
  expect(inTenMinutes).toBeGreaterThan(500_000);
  expect(inTenMinutes).toBeLessThanOrEqual(600_000);
  expect(await after(new Date(Date.now() - 600_000).toUTCString())).toBe(0);
  expect(await after("1000000")).toBe(3_600_000);
  expect(await after("soon")).toBeUndefined();
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
  expect(kinds(chunks)).toBe("");
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
    access: {
      openai: { baseURL: `http://user:pass@127.0.0.1:${port}/v1` },
      ollama: { baseURL: `127.0.0.1:${port}/` },
    },
  });
  const custom = await collect(provider.provider("openai/x"), turn([user("Hi")]));
  expect(custom.error).toMatchObject({ code: expect.stringMatching(/unavailable|bad_response/) });
  expect(String(custom.error)).not.toContain("pass");
  const ollama = await collect(provider.provider("ollama/x"), turn([user("Hi")]));
  expect(ollama.error).toMatchObject({ code: "unavailable" });
  expect(String(ollama.error)).toContain(`Nothing answers at http://127.0.0.1:${port}/v1`);
  expect(String(ollama.error)).toContain("OLLAMA_BASE_URL");
});
