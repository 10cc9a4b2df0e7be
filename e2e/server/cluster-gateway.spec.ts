import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { NewApiToken } from "@/lib/protocol/api-tokens";
import type { ListedRun, Page } from "@/lib/protocol/http";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expect, test } from "../support/cluster-test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

const work = { name: "gated__work", arguments: { key: "k" } };
const look = { name: "gated__look", arguments: { key: "k" } };

/** A client of the SDK; its requests go to `url`, or each to the next one of several. */
async function connect(token: string, urls: readonly string[], capabilities = {}) {
  let next = 0;
  const transport = new StreamableHTTPClientTransport(new URL(`${urls[0]}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: (_, init) => fetch(`${urls[next++ % urls.length]}/mcp`, init),
  });
  const client = new Client({ name: "an-editor", version: "1" }, { capabilities });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return { client, transport };
}

test("a session is served by every instance, and what is answered or cancelled at one reaches the other that waits", async ({
  startTwo,
  gated,
}) => {
  gated.open();
  const { instances, at, ...cluster } = await startTwo(() => [say("Nothing.")]);
  const [first, last] = instances;
  const [here, there] = [apiOf(at(first)), apiOf(at(last))];
  const { value } = await here.post<NewApiToken>("/api/tokens", {
    ...{ name: "An editor", scopes: ["mcp"], servers: ["gated"], expiresAt: null },
  });
  const waiting = async () =>
    (await there.get<Page<ListedRun>>("/api/runs?kind=gateway&status=waiting")).items;
  const answer = async (run: ListedRun, decision: string) =>
    there.post<{ runId: string | null }>(`/api/runs/${run.id}/answer`, {
      ...{ requestId: run.pending[0]?.requestId, decision },
    });

  // One request after the other goes to another instance.
  const { client } = await connect(value, [cluster.balancer.url]);
  for (let turn = 0; turn < 4; turn++) {
    expect((await client.listTools()).tools.map(({ name }) => name).toSorted()).toEqual([
      ...["gated__look", "gated__work"],
    ]);
    expect((await client.callTool(look)).isError).toBeUndefined();
  }
  expect(gated.calls().filter((name) => name === "look")).toHaveLength(4);

  // Asked at one, answered at the other.
  const { client: mine } = await connect(value, [first.ownUrl]);
  const allowed = mine.callTool(work);
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [asked] = await waiting();
  if (!asked) throw new Error("It waits.");
  await answer(asked, "approve_run");
  expect((await allowed).isError).toBeUndefined();
  expect(gated.calls().filter((name) => name === "work")).toHaveLength(1);

  // For the session, whichever instance serves it: the next request of the same session goes to the other one.
  const { client: both } = await connect(value, [first.ownUrl, last.ownUrl], { elicitation: {} });
  both.setRequestHandler(ElicitRequestSchema, () => ({
    ...{ action: "accept", content: { decision: "approve_run" } },
  }));
  for (let turn = 0; turn < 3; turn++) expect((await both.callTool(work)).isError).toBeUndefined();
  expect(await waiting()).toEqual([]);

  // Cancelled at another one than that which waits.
  const { client: leaving } = await connect(value, [first.ownUrl, last.ownUrl]);
  const end = new AbortController();
  const cancelled = expect(leaving.callTool(work, undefined, { signal: end.signal })).rejects.toThrow();
  await expect.poll(async () => (await waiting()).length).toBe(1);
  end.abort("enough");
  await cancelled;
  await expect.poll(waiting).toEqual([]);
});

test("a yes to a call whose instance has died is kept at the other one, for the same call of the session", async ({
  startTwo,
  gated,
}) => {
  gated.open();
  const { instances, at } = await startTwo(() => [say("Nothing.")]);
  const [first, last] = instances;
  const there = apiOf(at(last));
  const { value } = await there.post<NewApiToken>("/api/tokens", {
    ...{ name: "An editor", scopes: ["mcp"], servers: ["gated"], expiresAt: null },
  });
  const { client, transport } = await connect(value, [first.ownUrl]);
  const lost = expect(client.callTool(work)).rejects.toThrow();
  const waiting = async () =>
    (await there.get<Page<ListedRun>>("/api/runs?kind=gateway&status=waiting")).items;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  await first.kill9();
  await transport.close();
  await lost;
  const [asked] = await waiting();
  await expect
    .poll(
      async () =>
        (
          await there.send("POST", `/api/runs/${asked?.id}/answer`, {
            ...{ requestId: asked?.pending[0]?.requestId, decision: "approve" },
          })
        ).status,
      // Until the others have noticed that it is gone, nobody knows whether the call goes on there.
      { timeout: 60_000 },
    )
    .toBe(200);
  expect(gated.calls()).toEqual([]);
  const again = await fetch(`${last.ownUrl}/mcp`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${value}`, "mcp-session-id": transport.sessionId ?? "" },
      ...{ accept: "application/json, text/event-stream", "content-type": "application/json" },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 9, method: "tools/call", params: work }),
  });
  expect(await again.text()).toContain('"result"');
  expect(gated.calls()).toEqual(["work"]);
});
