import OpenAI from "openai";
import type { NewInvitation } from "@/lib/protocol/accounts";
import type { NewHook } from "@/lib/protocol/hooks";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { noServers } from "../support/default-servers";
import { followStream } from "../support/follow-stream";
import { openReceiver } from "../support/receiver";
import { expect, test } from "../support/server-test";

test("what was not taken before kill -9 is sent after the next start, under the id that it had", async ({
  startWithModel,
}) => {
  using receiver = await openReceiver(503);
  const { app } = await startWithModel([[say("Done.")]], {
    ...noServers,
    env: { PRIVATE_HOSTS: "127.0.0.1:*" },
  });
  const api = apiOf(app);
  const hook = await api.post<NewHook>("/api/hooks", { url: receiver.url, events: ["run.completed"] });
  const { runId, closed } = await api.ask("Do it");
  await closed;
  const states = async () =>
    (await api.get<{ items: { state: string }[] }>(`/api/hooks/${hook.id}/deliveries`)).items;
  // What it has begun when it is killed is begun again half a minute later.
  await expect.poll(states).toMatchObject([{ last: { status: 503 } }]);
  await app.kill9();
  receiver.statuses.push(200);
  await app.restart();
  await expect.poll(states).toMatchObject([{ state: "arrived" }]);
  expect(receiver.received.length).toBeGreaterThan(1);
  const { webhooks } = new OpenAI({ apiKey: "none" });
  for (const { body, headers } of receiver.received) {
    await webhooks.verifySignature(body, headers, hook.secret);
    expect(JSON.parse(body)).toMatchObject({ type: "run.completed", data: { runId, title: "Do it" } });
  }
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

/** A browser of somebody who signs up. */
async function signUp(app: App, name: string, more: { token?: string; invitation?: string }) {
  const { token, invitation } = more;
  const headers = { origin: app.baseUrl, "content-type": "application/json" };
  const answer = await fetch(`${app.baseUrl}/api/auth/sign-up/email`, {
    ...{ method: "POST", headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } },
    body: JSON.stringify({
      ...{ name, email: `${name}@example.com`, password: "a long enough password" },
      ...(invitation && { invitation }),
    }),
  });
  expect(answer.status).toBe(201);
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return (method: string, url: string, body?: unknown) =>
    fetch(new URL(url, app.baseUrl), {
      ...{ method, redirect: "manual", headers: { ...headers, cookie } },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

test("a run that waits is told of with a link to its question, which is for its person alone", async ({
  start,
  gated,
}) => {
  using receiver = await openReceiver(200);
  const env = { AUTH: "accounts", PRIVATE_HOSTS: "127.0.0.1:*" };
  const app = await start({ env, mcpConfig: { mcpServers: { gated: gated.config } } });
  const aiko = await signUp(app, "aiko", { token: app.token });
  const made = (await (await aiko("POST", "/api/invitations", { role: "member" })).json()) as NewInvitation;
  const ken = await signUp(app, "ken", {
    invitation: new URL(made.url).searchParams.get("invitation") ?? "",
  });
  // Of members the address of a hook is one of the internet.
  const hook = { url: receiver.url, events: ["run.waiting"] };
  expect((await ken("POST", "/api/hooks", hook)).status).toBe(400);
  expect((await aiko("POST", "/api/hooks", hook)).status).toBe(201);
  const asking = { message: { text: '/tool gated__work {"key": "k"}' }, model: "demo/demo" };
  const waiting = await followStream(await aiko("POST", "/api/chat", asking));
  await waiting.closed;
  await expect.poll(() => receiver.received.length).toBe(1);
  const { data } = JSON.parse(receiver.received[0]?.body ?? "{}");
  // The demo calls a conversation what was asked.
  expect(JSON.stringify({ ...data, title: "" })).not.toContain("gated");
  expect(data).toMatchObject({ runId: waiting.runId, status: "waiting", kind: "chat" });
  const link: string = data.answerUrl;
  expect(link).toContain(`${app.baseUrl}/answer/${waiting.runId}.`);

  const leadsTo = async (answer: Promise<Response>) => {
    const { status, headers } = await answer;
    return [status, headers.get("location")?.replace(app.baseUrl, "") ?? null];
  };
  const path = link.slice(app.baseUrl.length);
  const signedOut = { method: "GET", redirect: "manual" } as const;
  expect(await leadsTo(fetch(link, signedOut))).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
  const place = `/c/${data.conversationId}?message=`;
  expect(await leadsTo(aiko("GET", link))).toEqual([307, expect.stringContaining(place)]);
  // Somebody else's link, one that is changed and one of nothing are the same.
  const refused = [
    ken("GET", link),
    aiko("GET", `${link}x`),
    ken("GET", `${app.baseUrl}/answer/none.at-all`),
  ];
  for (const answer of refused) expect((await answer).status).toBe(404);

  gated.open();
  const { pending } = await (await aiko("GET", `/api/runs/${waiting.runId}`)).json();
  const decision = { requestId: pending[0].requestId, decision: "approve" };
  expect((await aiko("POST", `/api/runs/${waiting.runId}/answer`, decision)).status).toBe(200);
  expect(await leadsTo(aiko("GET", link))).toEqual([307, `/runs/${waiting.runId}`]);
});
