import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { singly } from "@/lib/agent/chunks-in";
import type { Turn } from "@/lib/agent/ports";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import { openProviders } from "@/lib/providers/providers";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { readEnv } from "@/lib/server/env";
import { accessOf, readProviderEnv } from "@/lib/server/provider-env";
import { allowedAddresses, openProviderNetwork } from "./provider-network";

/** A network that notes the addresses it would connect to, and connects to none. */
function openRecorded(allowed: string[] = []) {
  const dialled: string[] = [];
  const network = openProviderNetwork(allowed, {
    connect: ({ hostname, port }, callback) => {
      dialled.push(`${hostname}:${port}`);
      callback(new Error("Nobody is called."), null);
    },
  });
  const providers = openProviders({}, network);
  const list = (id: "google" | "openai" | "anthropic" | "ollama", baseURL: string) =>
    providers.test(id, { apiKey: "sk-test", baseURL }, AbortSignal.timeout(5_000)).then(
      () => "answered",
      (cause: Error) => cause.message,
    );
  return { dialled, list };
}

test.each([
  "http://127.0.0.1:1234/v1",
  "http://localhost:1234/v1",
  "http://[::1]:1234/v1",
  "http://2130706433:1234/v1",
  "http://10.0.0.8/v1",
  "http://192.168.1.5/v1",
  "http://169.254.169.254/latest",
  "http://[::ffff:10.0.0.8]/v1",
])("a model server at %s that nobody has approved is not called, by any provider", async (baseURL) => {
  const { dialled, list } = openRecorded(["127.0.0.1:11434", "10.0.0.9:80"]);
  const said = await Promise.all(
    (["google", "openai", "anthropic", "ollama"] as const).map((id) => list(id, baseURL)),
  );
  for (const sentence of said)
    expect(sentence).toMatch(/is a private address|is not an address that may be called/);
  expect(dialled).toEqual([]);
});

test("one that is approved is called, at its own port alone, and a public one always", async () => {
  const { dialled, list } = openRecorded(["10.0.0.8:8080"]);
  await list("openai", "http://10.0.0.8:8080/v1");
  await list("openai", "http://10.0.0.8:8081/v1");
  await list("openai", "http://93.184.216.34/v1");
  expect(dialled).toEqual(["10.0.0.8:8080", "93.184.216.34:80"]);
});

test("a redirect leads nowhere", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const network = openProviderNetwork([`127.0.0.1:${port}`]);
  const providers = openProviders({}, network);
  const access = { apiKey: "sk-test", baseURL: `http://127.0.0.1:${port}/v1` };
  for (const id of ["google", "openai", "anthropic", "ollama"] as const)
    await expect(providers.test(id, access, AbortSignal.timeout(5_000))).rejects.toThrow();
  expect(asked.filter((path) => path === "/elsewhere")).toEqual([]);
  expect(asked).toHaveLength(4);
});

test("the operator's addresses and those that were saved may be reached, the local Ollama too", () => {
  const env = readEnv({ PRIVATE_HOSTS: "nas:*" });
  const given = accessOf(
    readProviderEnv({ OLLAMA_HOST: "0.0.0.0:5000", OPENAI_BASE_URL: "https://box.lan/v1" }),
  );
  const entered = { anthropic: { baseURL: "http://10.0.0.8:8080" }, google: { apiKey: "k" } };
  expect(allowedAddresses(env, given, entered).toSorted()).toEqual(
    ["nas:*", "127.0.0.1:11434", "box.lan:443", "127.0.0.1:5000", "10.0.0.8:8080"].toSorted(),
  );
});

test("a turn that finds no free connection waits for one, and no longer than for its first word", async () => {
  const server = await startOpenAiServer([[say("Slow. "), hang], [say("Quick.")]]);
  onTestFinished(() => server.close());
  const network = openProviderNetwork([new URL(server.url).host], { connections: 1 });
  const { provider } = openProviders({ access: { openai: { baseURL: server.url } } }, network);
  const slow = new AbortController();
  const first = provider("openai/test-model").stream(turn(slow.signal))[Symbol.asyncIterator]();
  await first.next();

  const late = withTurnTimeouts(provider("openai/test-model"), 50).stream(turn());
  await expect(late[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("waiting for a free connection"),
  });

  const next = singly(provider("openai/test-model").stream(turn())).next();
  slow.abort();
  await expect(next).resolves.toMatchObject({ value: { type: "text", content: "Quick." } });
  expect(server.requests).toHaveLength(2);
});

const turn = (signal = new AbortController().signal): Turn => ({
  system: "",
  history: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
  tools: [],
  signal,
});
