import { expect, test } from "vitest";
import { startBothApisServer } from "@/lib/providers/testing/both-apis-server";
import { fail, say } from "@/lib/providers/testing/steps";
import { collect, textOf, turn, user } from "@/lib/providers/testing/turn";
import { readEnv } from "@/lib/server/env";
import { readProviderEnv } from "@/lib/server/provider-env";
import { startWith } from "@/lib/server/testing/start-with";
import { tempDir } from "@/lib/store/testing/temp-store";
import { openLiveProviders } from "./live-providers";
import { updateAccess } from "./provider-access";

test("the API that a model's server asks for is remembered over restarts and changed settings", async () => {
  const server = await startBothApisServer(({ path }) =>
    path.endsWith("/responses")
      ? [say("Hi.")]
      : [fail(400, "Function tools are not supported for x. Please use /v1/responses instead.")],
  );
  const dataDir = tempDir();
  const [env, providerEnv] = [readEnv({}), readProviderEnv({})];
  const secret = "the same one".repeat(3);
  const ask = async (providers: Awaited<ReturnType<typeof openLiveProviders>>) => {
    const { chunks } = await collect(providers.provider("openai/x"), turn([user("Hi")]));
    expect(textOf(chunks)).toBe("Hi.");
  };
  try {
    for (let start = 0; start < 2; start++)
      await startWith(dataDir, secret, async (deps) => {
        await updateAccess(deps, () => ({ openai: { apiKey: "sk-key", baseURL: server.url } }));
        const providers = await openLiveProviders({
          ...deps,
          env,
          providerEnv,
          endpointEnv: { endpoints: [], variables: [] },
        });
        await ask(providers);
        await providers.reload();
        await ask(providers);
      });
    expect(server.requests.map(({ path }) => path.replace("/v1/", ""))).toEqual([
      "chat/completions",
      ...["responses", "responses", "responses", "responses"],
    ]);
  } finally {
    await server.close();
  }
});
