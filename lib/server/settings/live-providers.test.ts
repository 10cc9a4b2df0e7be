import { expect, test } from "vitest";
import type { ModelKnobs } from "@/lib/protocol/settings";
import { startBothApisServer } from "@/lib/providers/testing/both-apis-server";
import { fail, type Step, say } from "@/lib/providers/testing/steps";
import { collect, kinds, textOf, turn, user } from "@/lib/providers/testing/turn";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { readEnv } from "@/lib/server/env";
import { readProviderEnv } from "@/lib/server/provider-env";
import { startWith } from "@/lib/server/testing/start-with";
import { tempDir } from "@/lib/store/testing/temp-store";
import { openLiveProviders } from "./live-providers";
import { updateAccess } from "./provider-access";

/** What a later start finds out again, and what it has kept: the requests of two starts with two turns each. */
async function askAgainAndAgain(
  script: (request: WireRequest) => Step[],
  knobs: ModelKnobs = {},
): Promise<{ requests: WireRequest[]; kinds: string[] }> {
  const server = await startBothApisServer(script);
  const dataDir = tempDir();
  const [env, providerEnv] = [readEnv({}), readProviderEnv({})];
  const kindsOf: string[] = [];
  const ask = async (providers: Awaited<ReturnType<typeof openLiveProviders>>) => {
    const { chunks } = await collect(providers.provider("openai/x"), { ...turn([user("Hi")]), ...knobs });
    expect(textOf(chunks)).toBe("Hi.");
    kindsOf.push(kinds(chunks));
  };
  try {
    for (let start = 0; start < 2; start++)
      await startWith(dataDir, "the same one".repeat(3), async (deps) => {
        await updateAccess(deps, () => ({ openai: { apiKey: "sk-key", baseURL: server.url } }));
        const endpointEnv = { endpoints: [], variables: [] };
        const providers = await openLiveProviders({ ...deps, env, providerEnv, endpointEnv });
        await ask(providers);
        await providers.reload();
        await ask(providers);
      });
    return { requests: server.requests, kinds: kindsOf };
  } finally {
    await server.close();
  }
}

test("the API that a model's server asks for is remembered over restarts and changed settings", async () => {
  const { requests } = await askAgainAndAgain(({ path }) =>
    path.endsWith("/responses")
      ? [say("Hi.")]
      : [fail(400, "Function tools are not supported for x. Please use /v1/responses instead.")],
  );
  expect(requests.map(({ path }) => path.replace("/v1/", ""))).toEqual([
    "chat/completions",
    ...["responses", "responses", "responses", "responses"],
  ]);
});

test("a knob that a model refuses is told of once, and left out over restarts and changed settings", async () => {
  const { requests, kinds: said } = await askAgainAndAgain(
    ({ body }) =>
      "temperature" in body
        ? [fail(400, "Unsupported parameter: 'temperature' is not supported.")]
        : [say("Hi.")],
    { temperature: 0.2, effort: "low" },
  );
  expect(said).toEqual(["notice text usage", "text usage", "text usage", "text usage"]);
  expect(requests.map(({ body }) => "temperature" in body)).toEqual([true, false, false, false, false]);
  expect(requests.at(-1)?.body).toMatchObject({ reasoning_effort: "low" });
});
