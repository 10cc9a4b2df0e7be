import OpenAI from "openai";
import { afterAll } from "vitest";
import { withApplication } from "@/app/api/testing/call-api";
import { serveRoutes } from "@/app/api/testing/serve-routes";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { Step } from "@/lib/providers/testing/steps";
import type { WireOptions, WireRequest } from "@/lib/providers/testing/wire-request";

export const launchToken = "token-for-tests-only";
export const testModel = "openai/test-model";

/**
 * The application behind a real listener, with a model that plays a script at its own wire, round the tests of a file. `answers`
 * gives the turns from now on; the last one is played again and again.
 */
export async function servePrograms(
  mcpServers: Record<string, unknown> = {},
  env: Record<string, string> = {},
  options: WireOptions = {},
) {
  let script: Step[][] = [];
  let turns = 0;
  const model = await startOpenAiServer(() => script[Math.min(turns++, script.length - 1)] ?? [], options);
  const served = await serveRoutes();
  const address = `http://127.0.0.1:${served.port}`;
  withApplication(mcpServers, { PUBLIC_URL: address, OPENAI_BASE_URL: model.url, ...env });
  afterAll(async () => {
    served.close();
    await model.close();
  });
  return {
    address,
    model,
    answers(...steps: Step[][]) {
      script = steps;
      turns = 0;
    },
    /** What the model was asked since then. */
    asked: () => model.requests.slice(-turns) as WireRequest[],
    /** The package of OpenAI, with the launch token unless told. */
    openai: (apiKey = launchToken) => new OpenAI({ apiKey, baseURL: `${address}/v1`, maxRetries: 0 }),
    /** Any request. */
    send: (path: string, body: unknown, more: Record<string, string> = {}) =>
      fetch(`${address}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${launchToken}`, "content-type": "application/json", ...more },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

/** All that comes of a stream. */
export async function allOf<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
