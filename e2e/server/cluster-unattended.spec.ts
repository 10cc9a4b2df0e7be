import { createHash } from "node:crypto";
import OpenAI from "openai";
import type { NewHook } from "@/lib/protocol/hooks";
import type { ListedRun, Page } from "@/lib/protocol/http";
import type { Schedule, Trigger } from "@/lib/protocol/schedules";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expect, test } from "../support/cluster-test";
import { openReceiver } from "../support/receiver";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

const errand = { text: "Count them.", budget: { tokens: 100_000 } };

test("over two instances a time is asked once and told once, a key begins one run, and an OAuth client ends at one what it began at the other", async ({
  startTwo,
}) => {
  using receiver = await openReceiver(200);
  const { instances, at, rows, balancer } = await startTwo(
    () => [say("Nine.")],
    () => ({ PRIVATE_HOSTS: "127.0.0.1:*" }),
  );
  const [first, last] = instances;
  const [here, there] = [apiOf(at(first)), apiOf(at(last))];
  const runsOf = async (id: string) =>
    (await there.get<Page<ListedRun>>(`/api/runs?schedule=${id}`)).items.map((run) => run.id);

  const hook = await here.post<NewHook>("/api/hooks", { url: receiver.url, events: ["run.completed"] });
  const schedule = await here.post<Schedule>("/api/schedules", {
    ...{ name: "Numbers", cron: "0 0 1 1 *", ...errand },
  });
  await rows(`update schedule set next_at = ${Date.now() - 1_000}`);
  // Each instance looks when something is added there.
  const other = { name: "Later", cron: "0 0 1 1 *", ...errand };
  await Promise.all([here.post("/api/schedules", other), there.post("/api/schedules", other)]);
  await expect.poll(() => receiver.received.length).toBe(1);
  const [runId, ...more] = await runsOf(schedule.id);
  expect(more).toEqual([]);

  const trigger = await there.post<Trigger>("/api/triggers", { name: "A build failed", ...errand });
  const { pathname } = new URL(trigger.url ?? "");
  const called = await Promise.all(
    [first, last].map(async ({ ownUrl }) => {
      const headers = { "content-type": "application/json", "idempotency-key": "build-1" };
      const answer = await fetch(ownUrl + pathname, { method: "POST", headers, body: "{}" });
      expect(answer.status).toBe(202);
      return ((await answer.json()) as { runId: string }).runId;
    }),
  );
  expect(new Set(called).size).toBe(1);
  expect(await runsOf(trigger.id)).toEqual([called[0]]);

  // Registered and let in here, exchanged there, used and refreshed here.
  const json = { "content-type": "application/json" };
  const verifier = "v".repeat(43);
  const redirectUri = "http://127.0.0.1:7777/callback";
  const registered = await fetch(`${first.ownUrl}/api/oauth/register`, {
    ...{ method: "POST", headers: json },
    body: JSON.stringify({ client_name: "An editor", redirect_uris: [redirectUri] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const resource = `${balancer.url}/mcp`;
  const request = new URLSearchParams({
    ...{ response_type: "code", client_id, redirect_uri: redirectUri, state: "s", resource },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  const { location } = await here.post<{ location: string }>("/api/oauth/authorize", {
    ...{ request, allow: true, servers: ["gated"] },
  });
  const exchange = async (url: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id, resource, ...fields });
    const answer = await fetch(`${url}/api/oauth/token`, { method: "POST", body });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { access_token: string; refresh_token: string };
  };
  const tokens = await exchange(last.ownUrl, {
    ...{ grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: verifier },
    code: new URL(location).searchParams.get("code") ?? "",
  });
  const opens = async (url: string, token: string) =>
    (
      await fetch(`${url}/mcp`, {
        method: "POST",
        headers: { ...json, accept: "application/json, text/event-stream", authorization: `Bearer ${token}` },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
          params: {
            ...{ protocolVersion: "2025-11-25", capabilities: {} },
            clientInfo: { name: "an-editor", version: "1" },
          },
        }),
      })
    ).status;
  expect(await opens(first.ownUrl, tokens.access_token)).toBe(200);
  const fresh = await exchange(first.ownUrl, {
    ...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token },
  });
  expect(await opens(last.ownUrl, fresh.access_token)).toBe(200);

  // One of the schedule and one of the trigger, each in one attempt.
  const deliveries = async () =>
    (await here.get<Page<{ state: string; attempts: number }>>(`/api/hooks/${hook.id}/deliveries`)).items;
  await expect.poll(deliveries).toMatchObject(Array(2).fill({ state: "arrived", attempts: 1 }));
  const told = receiver.received.map(({ body }) => JSON.parse(body).data.runId);
  expect(told).toEqual([runId, called[0]]);
  const { webhooks } = new OpenAI({ apiKey: "none" });
  for (const { body, headers } of receiver.received)
    await webhooks.verifySignature(body, headers, hook.secret);
});
