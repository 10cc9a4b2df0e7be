import { describe, expect, test } from "vitest";
import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { withStructuredOutput } from "@/lib/agent/with-structured-output";
import { openProviders } from "./providers";
import { type Adapter, adapterNames, adapters, sourceOf } from "./testing/adapters";
import { callTools, type Step, say } from "./testing/steps";
import { tool, user } from "./testing/turn";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer" } },
  required: ["city", "people"],
  additionalProperties: false,
};
const answer = { city: "京都", people: 1_460_000 };

describe.each(adapterNames)("%s", (name) => {
  const ask = async (steps: Step[][], withTools: boolean) => {
    const adapter: Adapter = adapters[name];
    // Without tools nobody is asked for JSON around the answer.
    const server = await adapter.start(withTools ? steps.map(adapter.write) : steps);
    const provider = openProviders(adapter.config(server.url)).provider(`${sourceOf(name)}/${adapter.model}`);
    const result = await executeWithTools({
      provider: withStructuredOutput(provider, schema),
      system: "You help.",
      history: [user("How large is Kyoto?")],
      signal: AbortSignal.timeout(20_000),
      ...(withTools && {
        tools: { list: () => [tool("a__one")], call: async ({ id }) => ({ id, status: "ok", content: [] }) },
      }),
    });
    await server.close();
    return { result, requests: server.requests };
  };

  test("a model without tools is asked in the provider's own way", async () => {
    const { result, requests } = await ask([[say(JSON.stringify(answer))]], false);
    expect(result).toMatchObject({ stopReason: "end_turn", finalText: JSON.stringify(answer) });
    expect(JSON.stringify(requests[0]?.body)).toMatch(adapters[name].schema);
  });

  test("a model with tools answers through the final tool", async () => {
    const { result } = await ask([[callTools({ name: "meguri__answer", args: answer })]], true);
    expect(result).toMatchObject({ stopReason: "end_turn", finalText: JSON.stringify(answer) });
  });
});
