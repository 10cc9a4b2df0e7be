import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, fail, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { apiOf } from "../support/api";
import { expect, test } from "../support/server-test";
import { serversReady } from "../support/test";

const keys = {
  provider: "sk-canary-of-the-provider-0123",
  server: "canary-of-the-server-4567",
  environment: "canary-of-the-environment-89",
};

/** A model that tells in its errors what it was sent, as some gateways do. */
function indiscreet({ headers, toolResults }: WireRequest) {
  if (toolResults.length > 0) return [say("Done.")];
  if (!asked++) return [callTools({ name: "plain__environment" })];
  return [fail(401, `Incorrect API key provided: ${headers.authorization}.`)];
}
let asked = 0;

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

/** As it is, and as it may stand in JSON, in a header and in base64. */
const formsOf = (key: string) => [
  key,
  ...[0, 1, 2].map((at) =>
    Buffer.from("x".repeat(at) + key)
      .toString("base64")
      .slice(4, -4),
  ),
];

test("a key is in no answer, no event, no log line, no page of a database and no backup", async ({
  start,
}) => {
  const model = await startOpenAiServer(indiscreet);
  const app = await start({
    env: {
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: keys.environment, LOG_LEVEL: "debug" },
      ...{ TOOL_APPROVAL: "allow" },
    },
    mcpConfig: {
      mcpServers: {
        plain: {
          command: "node",
          args: ["lib/mcp/testing/fixture-server.mjs", "plain"],
          env: { TOKEN: `\${secret:TOKEN}` },
        },
      },
    },
  });
  const api = apiOf(app);
  await api.patch("/api/mcp/servers/plain/secrets", { TOKEN: keys.server });
  await serversReady(app);
  const told: string[] = [];
  const ask = async (text: string) => {
    const run = await api.ask(text, { model: "openai/test-model" });
    await run.closed;
    told.push(JSON.stringify(run.events));
    return run;
  };
  const { runId } = await ask("Call it");
  await ask("And now?");
  await api.patch("/api/settings", { providers: { openai: { apiKey: keys.provider, baseURL: model.url } } });
  await ask("And with the other key?");
  told.push(await (await api.send("POST", "/api/providers/openai/test", {})).text());
  const { conversationId } = await api.run(runId);
  const share = `/api/conversations/${conversationId}/shares`;
  told.push(await (await api.send("POST", share, { policy: { default: "full" }, redact: true })).text());
  for (const path of [
    ...["/api/settings", "/api/mcp/servers", "/api/mcp/export", "/api/mcp/file", "/api/runs", "/api/shares"],
    ...[
      "/api/mcp/servers/plain",
      "/api/mcp/servers/plain/logs",
      `/api/runs/${runId}`,
      "/settings/models",
      "/settings/mcp",
    ],
  ])
    told.push(await (await app.fetch(path)).text());
  expect(model.requests.map(({ headers }) => headers.authorization)).toContain(`Bearer ${keys.provider}`);
  expect(JSON.stringify(await api.get("/api/settings"))).toContain('"keyEnd":"0123"');

  const backup = join(app.dataDir, "..", "backup.zip");
  await promisify(execFile)(process.execPath, ["scripts/backup.mjs", backup], {
    env: { ...process.env, DATA_DIR: app.dataDir, MCP_CONFIG: app.mcpConfig },
  });
  const { plain, mine, written } = { plain: told, mine: [app.output()], written: filesIn(app.dataDir) };
  for (const form of Object.values(keys).flatMap(formsOf)) {
    for (const text of [...plain, ...mine])
      expect(text.includes(form), `${form} in ${text.slice(0, 200)}`).toBe(false);
    for (const path of [...written, backup])
      expect(readFileSync(path).includes(form), `${form} in ${path}`).toBe(false);
  }
  await app.stop();
  for (const path of filesIn(app.dataDir))
    for (const form of Object.values(keys).flatMap(formsOf))
      expect(readFileSync(path).includes(form), `${form} in ${path}`).toBe(false);
  rmSync(backup);
  await model.close();
});
