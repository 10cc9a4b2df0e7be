import { afterEach, expect, test } from "vitest";
import { openProviders } from "@/lib/providers/providers";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { fail, type Step, say } from "@/lib/providers/testing/steps";
import { collect, kinds, tool, turn, user } from "@/lib/providers/testing/turn";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

const tools = [tool("a__x"), tool("a__y")];
const json = (value: unknown): Step => say(JSON.stringify(value));

/** An Ollama whose models cannot call tools, or an unknown server that finds out. */
async function unlisted(provider: "ollama" | "openai", script: Script, capabilities = ["completion"]) {
  server = await startOpenAiServer(script, { capabilities });
  const baseURL = server.url;
  const providers = openProviders(
    provider === "ollama" ? { access: { ollama: { baseURL } } } : { access: { openai: { baseURL } } },
  );
  return { server, providers, provider: providers.provider(`${provider}/llama2`) };
}

test("a model of Ollama that cannot call tools is asked for JSON from the start", async () => {
  const { provider, server } = await unlisted("ollama", [[json({ tool_call: { name: "a__x", input: {} } })]]);
  const { chunks } = await collect(provider, turn([user("Go")], { tools }));
  expect(kinds(chunks)).toBe("tool_call usage");
  expect(server.requests[0]?.tools).toEqual([]);
});

test("a model of Ollama that has learned to call tools is noticed with the next list of models", async () => {
  const capabilities = ["completion"];
  const script = [[json({ response: "Hi." })]];
  const { provider, providers, server } = await unlisted("ollama", script, capabilities);
  await collect(provider, turn([user("Hi")], { tools }));
  capabilities.push("tools");
  await collect(provider, turn([user("Hi")], { tools }));
  await providers.models();
  await collect(provider, turn([user("Hi")], { tools }));
  expect(server.requests.map(({ tools }) => tools.length)).toEqual([0, 0, 2]);
});

test("a model of Ollama that can call tools calls them itself", async () => {
  const { provider, server } = await unlisted("ollama", [[say("Hi.")]], ["completion", "tools"]);
  await collect(provider, turn([user("Go")], { tools }));
  expect(server.requests[0]?.tools).toEqual(["a__x", "a__y"]);
});

test.each([
  [400, "registry.ollama.ai/library/llama2:latest does not support tools"],
  [500, "tools param requires --jinja flag"],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [400, "Function calling is not enabled for models/gemma-3-27b-it"],
  [404, "No endpoints found that support tool use."],
])("a server that answers %i %s is asked for JSON from then on", async (status, message) => {
  const { provider, server } = await unlisted("openai", ({ tools }) =>
    tools.length > 0 ? [fail(status, message)] : [json({ response: "Hi." })],
  );
  const first = await collect(provider, turn([user("Hi")], { tools }));
  expect(first.error).toBeUndefined();
  expect(kinds(first.chunks)).toBe("notice text usage");
  expect(first.chunks[0]).toEqual({
    type: "notice",
    kind: "server",
    message: expect.stringContaining("llama2 has no function calling"),
  });
  const second = await collect(provider, turn([user("Hi")], { tools }));
  expect(kinds(second.chunks)).toBe("text usage");
  expect(server.requests.map(({ tools }) => tools.length)).toEqual([2, 0, 0]);
});
