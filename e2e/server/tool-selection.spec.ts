import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { startApp } from "../support/app";
import { endOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";
import { serversReady } from "../support/test";

test("of 61 tools the model gets a search, and what it finds it can call", async () => {
  const model = await startOpenAiServer([
    [callTools({ name: "meguri__find_tools", args: { query: "send an e-mail" } })],
    [callTools({ name: "many__send_mail" })],
    [say("Sent.")],
  ]);
  const app = await startApp({
    env: { OPENAI_BASE_URL: model.url },
    mcpConfig: {
      mcpServers: { many: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "many"] } },
    },
  });
  await serversReady(app);
  const api = apiOf(app);
  const first = await api.ask("Write to Mia", { model: "openai/test-model" });
  await first.closed;
  expect(endOf(first.events)).toMatchObject({ stopReason: "end_turn", finalText: "Sent." });
  expect(model.requests.map(({ tools }) => tools)).toEqual([
    ["meguri__find_tools"],
    ["meguri__find_tools", "many__send_mail"],
    ["meguri__find_tools", "many__send_mail"],
  ]);
  const { conversationId } = await api.run(first.runId);
  const next = await api.ask("And again", { conversationId, model: "openai/test-model" });
  await next.closed;
  expect(model.requests.at(-1)?.tools).toEqual(["meguri__find_tools", "many__send_mail"]);
  await app.dispose();
  await model.close();
});
