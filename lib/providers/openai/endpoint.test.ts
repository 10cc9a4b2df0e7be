import { expect, onTestFinished, test } from "vitest";
import { openProviders } from "@/lib/providers/providers";
import type { EndpointConfig } from "@/lib/providers/shared/definition";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { startPlainServer } from "@/lib/providers/testing/plain-server";
import { say } from "@/lib/providers/testing/steps";
import { collect, textOf, turn, user } from "@/lib/providers/testing/turn";

function kept<Closable extends { close(): Promise<void> }>(server: Closable): Closable {
  onTestFinished(() => server.close());
  return server;
}

const endpoint = (baseURL: string, more: Partial<EndpointConfig> = {}): EndpointConfig => ({
  ...{ id: "acme", name: "Acme gateway", baseURL, api: "auto", source: "settings" },
  ...more,
});
/** Nobody's Ollama. */
const network = { localAddress: "http://127.0.0.1:1" };
const soon = () => AbortSignal.timeout(5_000);

test("endpoints stand beside each other in the menu, each with its name, and are spoken to with their own key and headers", async () => {
  const first = kept(await startOpenAiServer([[say("From the first.")]], { models: ["org/model"] }));
  const second = kept(await startOpenAiServer([[say("From the second.")]]));
  const providers = openProviders(
    {
      endpoints: [
        endpoint(`${first.url}/`, { apiKey: "sk-acme", headers: { "X-Team": "blue" } }),
        endpoint(second.url, { id: "lab-2", name: "Lab", models: ["by-hand", "org/other"] }),
      ],
    },
    network,
  );
  const items = await providers.models();
  expect(items.map(({ id, endpoint }) => [id, endpoint])).toEqual([
    ["acme/org/model", "Acme gateway"],
    ["lab-2/by-hand", "Lab"],
    ["lab-2/org/other", "Lab"],
    ["demo/demo", undefined],
  ]);
  expect(items.every(({ reachable }) => reachable)).toBe(true);
  expect(await providers.defaultModel()).toBe("acme/org/model");
  const answer = await collect(providers.provider("acme/org/model"), turn([user("Hi")]));
  expect(textOf(answer.chunks)).toBe("From the first.");
  expect(first.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer sk-acme", "x-team": "blue" });
  const other = await collect(providers.provider("lab-2/org/other"), turn([user("Hi")]));
  expect(textOf(other.chunks)).toBe("From the second.");
  expect(second.requests.at(-1)?.body.model).toBe("org/other");
  expect(second.requests.at(-1)?.headers.authorization).toBeUndefined();
});

test("a model of an endpoint is the default where that is set, and none of an endpoint that is not there", async () => {
  const endpoints = [endpoint("http://127.0.0.1:1/v1", { id: "lab-2", models: ["one", "org/two"] })];
  expect(await openProviders({ endpoints, defaultModel: "lab-2/org/two" }).defaultModel()).toBe(
    "lab-2/org/two",
  );
  expect(() => openProviders({ endpoints, defaultModel: "lab-3/one" })).toThrow(
    'There is no endpoint "lab-3"',
  );
});

test("a header takes the place of ours, in whatever case it is written", async () => {
  const server = kept(await startOpenAiServer([[say("Ok.")]]));
  const headers = { Authorization: "Token t-1", "User-Agent": "acme" };
  const { provider } = openProviders({ endpoints: [endpoint(server.url, { apiKey: "sk-1", headers })] });
  await collect(provider("acme/test-model"), turn([user("Hi")]));
  expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: "Token t-1", "user-agent": "acme" });
});

test("an endpoint that does not answer stays in the menu with the reason, and no other waits for it", async () => {
  const lists = kept(await startOpenAiServer([], { models: ["one"] }));
  const providers = openProviders(
    { endpoints: [endpoint("http://127.0.0.1:1/v1"), endpoint(lists.url, { id: "lab", name: "Lab" })] },
    network,
  );
  const [dead, well] = await providers.models();
  expect(dead).toMatchObject({ id: "acme/default", endpoint: "Acme gateway", reachable: false });
  expect(dead?.reason).toBe(
    "Nothing answers at http://127.0.0.1:1/v1. Check that Acme gateway is running and that the address in Settings → Models is right.",
  );
  expect(well).toMatchObject({ id: "lab/one", reachable: true });
});

test("the test tells how many models there are, or what is wrong", async () => {
  const { testEndpoint } = openProviders({});
  const lists = kept(await startOpenAiServer([], { models: ["one", "two"] }));
  expect(await testEndpoint(endpoint(lists.url), soon())).toEqual({ models: 2, listed: true });
  expect(await testEndpoint(endpoint(lists.url, { models: ["two"] }), soon())).toEqual({
    models: 1,
    listed: true,
  });
  const silent = kept(await startPlainServer({ status: 404, body: "nothing here" }));
  expect(await testEndpoint(endpoint(silent.url, { models: ["two"] }), soon())).toEqual({
    models: 1,
    listed: false,
  });
  await expect(testEndpoint(endpoint(silent.url), soon())).rejects.toThrow(
    `${silent.url} gave no list of models. Check the address in Settings → Models.`,
  );
  const secret = "team-secret-4711";
  const refusing = kept(
    await startPlainServer({ status: 401, body: `{"error":{"message":"${secret} or sk-1234 is wrong"}}` }),
  );
  const refused = endpoint(refusing.url, { apiKey: "sk-1234", headers: { "x-team": secret } });
  await expect(testEndpoint(refused, soon())).rejects.toThrow(
    "Acme gateway did not accept the key (401). Check the key in Settings → Models. It said: … or … is wrong.",
  );
  await expect(
    testEndpoint({ ...refused, source: "environment", baseURL: "http://127.0.0.1:1" }, soon()),
  ).rejects.toThrow("that MEGURI_ENDPOINTS is right");
});

test("a list of models that is far too large is not read to its end", async () => {
  let sent = 0;
  const large = kept(
    await startPlainServer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":[');
      const row = `${JSON.stringify({ id: "m".repeat(100) })},`.repeat(5_000);
      const more = () => {
        while (sent < 50_000_000 && !response.destroyed) {
          sent += row.length;
          if (!response.write(row)) return;
        }
        response.end('{"id":"last"}]}');
      };
      response.on("drain", more);
      more();
    }),
  );
  await expect(openProviders({}).testEndpoint(endpoint(large.url), soon())).rejects.toThrow(
    "The list of models of Acme gateway is too large to be read. Check the address in Settings → Models.",
  );
  await large.gone;
  expect(sent).toBeLessThan(50_000_000);
});

test("a list of models without end is given up, and its connection with it", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const endless = kept(
    await startPlainServer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":[');
    }),
  );
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await globalThis.fetch(...request);
    resolve();
    return response;
  };
  const limit = new AbortController();
  const answer = openProviders({}, { fetch }).testEndpoint(endpoint(endless.url), limit.signal);
  await asked;
  limit.abort(new DOMException("The time is up.", "TimeoutError"));
  await expect(answer).rejects.toThrow(
    "The list of models of Acme gateway did not come to its end in time. Check the address in Settings → Models.",
  );
  await endless.gone;
});

test("a model of an endpoint that is gone is refused with what to do", () => {
  expect(() => openProviders({}).provider("acme/org/model")).toThrow(
    'There is no endpoint "acme" for the model "acme/org/model": pick one of ollama, demo, or add it in Settings → Models.',
  );
});
