import {
  CreateMessageRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import type { ListedRun, Page } from "@/lib/protocol/http";
import { ask, connect, newToken, withGateway } from "./testing/mcp-client";

const reference = { command: "node", args: ["lib/mcp/testing/reference-server.mjs"], sampling: true };
withGateway({ reference }, { TOOL_APPROVAL: "allow" });

let count = 0;
async function begin(capabilities = {}) {
  const name = `Client ${++count}`;
  const { value } = await newToken({ name, servers: ["reference"], names: "plain" });
  return { name, ...(await connect(value, capabilities)) };
}

type Connected = Awaited<ReturnType<typeof begin>>["client"];
const call = async (client: Connected, name: string, args = {}) =>
  (await client.callTool({ name, arguments: args })) as { content: { text: string }[]; isError?: boolean };
const dream = (client: Connected) => call(client, "test_sampling", { prompt: "A dream?" });

async function waitFor(name: string): Promise<ListedRun> {
  const waiting = async () =>
    (
      (await (await ask("GET", "/api/runs?kind=gateway&status=waiting")).json()) as Page<ListedRun>
    ).items.filter(({ gateway }) => gateway?.name === name);
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [run] = await waiting();
  if (!run) throw new Error("It waits no more.");
  return run;
}

async function answer(run: ListedRun, decision: string) {
  const body = { requestId: run.pending[0]?.requestId, decision };
  expect((await ask("POST", `/api/runs/${run.id}/answer`, body)).status).toBe(200);
}

test("what a server wants a model to write is written by the client's, where that has one", async () => {
  const { client } = await begin({ sampling: {} });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    ...{ role: "assistant" as const, model: "its-model", stopReason: "endTurn" },
    content: { type: "text", text: `As you say: ${JSON.stringify(params.messages)} ${params.maxTokens}` },
  }));
  expect((await dream(client)).content).toEqual([
    {
      type: "text",
      text: `LLM response: As you say: ${JSON.stringify([{ role: "user", content: { type: "text", text: "A dream?" } }])} 100`,
    },
  ]);

  const { client: refusing } = await begin({ sampling: {} });
  refusing.setRequestHandler(CreateMessageRequestSchema, () => {
    throw new McpError(-1, "No dreams here.");
  });
  expect(await dream(refusing)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("The user declined the sampling request.") }],
  });
});

test("a client whose model fails, or that has none, leaves it to a person and the model in Meguri", async () => {
  const { client, name } = await begin({ sampling: {} });
  client.setRequestHandler(CreateMessageRequestSchema, () => {
    throw new Error("It is out of words.");
  });
  const failing = dream(client);
  await answer(await waitFor(name), "deny");
  expect(await failing).toMatchObject({ isError: true });

  const without = await begin();
  const written = dream(without.client);
  const run = await waitFor(without.name);
  expect(run.pending).toMatchObject([{ type: "approval_request", reason: "sampling" }]);
  await answer(run, "approve");
  expect((await written).content[0]?.text).toMatch(/^LLM response: \S/);
});

test("a client is told what its servers log for its calls, from the level on that it has set", async () => {
  const { client } = await begin();
  const other = await begin();
  const logged: unknown[] = [];
  const others: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
  other.client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void others.push(params),
  );
  await call(client, "test_tool_with_logging");
  expect(logged).toEqual([]);
  await client.setLoggingLevel("error");
  await call(client, "test_tool_with_logging");
  expect(logged).toEqual([]);
  for (const { client: each } of [{ client }, other]) await each.setLoggingLevel("debug");
  await call(client, "test_tool_with_logging");
  expect(logged).toEqual(
    ["Tool execution started", "Tool processing data", "Tool execution completed"].map((data) => ({
      ...{ level: "info", data },
    })),
  );
  expect(others).toEqual([]);
});

test("a client is told of changes of the resources that it watches, and of no others", async () => {
  const { client } = await begin();
  const updated: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updated.push(params.uri),
  );
  const uri = "test://watched-resource";
  await client.subscribeResource({ uri });
  await expect
    .poll(async () => {
      await call(client, "update_watched");
      return updated.length;
    })
    .toBeGreaterThan(0);
  expect(new Set(updated)).toEqual(new Set([uri]));
  await client.unsubscribeResource({ uri });
  await expect.poll(async () => (await call(client, "update_watched")).content[0]?.text).toBe("0 watched.");
  await expect(client.subscribeResource({ uri: "test://nowhere" })).rejects.toMatchObject({ code: -32_002 });
});
