import { expect, test } from "vitest";
import type { ApiTokenItem } from "@/lib/protocol/api-tokens";
import type { ClientCalls } from "@/lib/protocol/gateway";
import type { ConversationDetail, ListedRun, Page, RunItem } from "@/lib/protocol/http";
import { ask, connect, newToken, withGateway } from "./testing/mcp-client";

withGateway({ plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } });

const counts = async () => (await (await ask("GET", "/api/tokens/calls")).json()) as ClientCalls;
const listed = async (query: string) =>
  ((await (await ask("GET", `/api/runs?kind=gateway&${query}`)).json()) as Page<ListedRun>).items;

/** Answers the call of this client that waits, as soon as it does. */
async function answer(token: string, decision: string) {
  await expect.poll(async () => (await listed(`token=${token}&status=waiting`)).length).toBe(1);
  const [run] = await listed(`token=${token}&status=waiting`);
  const { pending } = (await (await ask("GET", `/api/runs/${run?.id}`)).json()) as RunItem;
  const body = { requestId: pending[0]?.requestId, decision };
  expect((await ask("POST", `/api/runs/${run?.id}/answer`, body)).status).toBe(200);
}

test("what a client has called is listed and counted by its token, each call once, with how it ended", async () => {
  const [one, other] = [await newToken({ servers: ["plain"] }), await newToken({ servers: ["plain"] })];
  const { client } = await connect(one.value);
  const call = (args: Record<string, unknown>) => client.callTool({ name: "plain__echo", arguments: args });
  const allowed = call({ query: "x".repeat(300) });
  expect(await counts()).toMatchObject({ isWhole: true });
  await answer(one.id, "approve");
  await allowed;
  const refused = call({ count: 2 });
  await answer(one.id, "deny");
  await refused;
  const { client: second } = await connect(other.value);
  const waiting = second.callTool({ name: "plain__echo", arguments: {} });
  await expect.poll(async () => (await listed(`token=${other.id}`)).length).toBe(1);

  const { items } = await counts();
  expect(items.filter(({ tokenId }) => tokenId === one.id)).toEqual([
    { tokenId: one.id, calls: 2, asked: 2, denied: 1 },
  ]);
  expect(items.filter(({ tokenId }) => tokenId === other.id)).toEqual([
    { tokenId: other.id, calls: 1, asked: 1, denied: 0 },
  ]);
  const calls = (await listed(`token=${one.id}`)).filter(({ continuedBy }) => !continuedBy);
  expect(calls.map((run) => run.call)).toEqual([
    { tool: "plain__echo", argument: "2", status: "denied" },
    { tool: "plain__echo", argument: "x".repeat(200), status: "ok" },
  ]);
  expect((await listed(`token=${other.id}`)).map((run) => run.call)).toEqual([
    { tool: "plain__echo", argument: null, status: null },
  ]);
  expect(await listed("token=nobodys")).toEqual([]);
  // In the conversation of its session they stand together.
  const conversationId = calls[0]?.conversationId ?? "";
  const inSession = await listed(`conversation=${conversationId}`);
  expect(inSession.filter(({ continuedBy }) => !continuedBy).map(({ id }) => id)).toEqual(
    calls.map(({ id }) => id),
  );
  const session = await ask("GET", `/api/conversations/${conversationId}`);
  expect((await session.json()) as ConversationDetail).toMatchObject({ origin: "gateway", readOnly: true });
  await answer(other.id, "deny");
  await waiting;
  expect((await ask("GET", `/api/runs?token=${"x".repeat(300)}`)).status).toBe(400);
});

test("the token of a client that is revoked opens nothing, and is shown with its calls until it is removed", async () => {
  const { id, value } = await newToken({ servers: ["plain"], name: "An old laptop", onApproval: "fail" });
  const { client } = await connect(value);
  await client.callTool({ name: "plain__echo", arguments: {} });
  const item = async () => {
    const { items } = (await (await ask("GET", "/api/tokens")).json()) as Page<ApiTokenItem>;
    return items.find((each) => each.id === id);
  };
  expect(await item()).not.toHaveProperty("revokedAt");
  expect((await ask("DELETE", `/api/tokens/${id}`)).status).toBe(200);
  expect(await item()).toMatchObject({ revokedAt: expect.any(String), onApproval: "fail" });
  await expect(client.listTools()).rejects.toThrow();
  for (const token of [value, `revoked:${id}`])
    expect((await ask("GET", "/api/conversations", undefined, token)).status).toBe(401);
  expect((await listed(`token=${id}`)).length).toBe(1);
  expect((await ask("DELETE", `/api/tokens/${id}`)).status).toBe(200);
  expect(await item()).toBeUndefined();
  expect((await ask("DELETE", `/api/tokens/${id}`)).status).toBe(404);
});
