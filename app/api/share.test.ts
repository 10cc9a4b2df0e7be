import { expect, test } from "vitest";
import type { ConversationDetail, Page, ShareItem } from "@/lib/protocol/http";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({});

const secret = `sk-${"a1b2".repeat(6)}`;
const ask = async (text: string, conversationId?: string) =>
  readStream(
    await callApi("POST", "/api/chat", {
      message: { text },
      model: "demo/demo",
      ...(conversationId && { conversationId }),
    }),
  );
const share = (id: string, body: object = {}) => callApi("POST", `/api/conversations/${id}/shares`, body);
const open = (token: string) => callApi("GET", `/api/share/${token}`, undefined, { authorization: "" });

test("a link shows a frozen copy, follows on request, and ends when it is revoked", async () => {
  const { conversationId } = await ask("count to 3");
  const made = await share(conversationId);
  expect(made.status).toBe(201);
  const { id, token, url } = await made.json();
  expect(url).toContain(`/share/${token}`);
  expect(token.length).toBeGreaterThanOrEqual(22);
  await ask("count to 2", conversationId);
  const frozen = await open(token);
  expect(frozen.headers.get("x-robots-tag")).toBe("noindex");
  expect((await frozen.json()).snapshot.messages).toHaveLength(2);
  await callApi("PATCH", `/api/shares/${id}`, { refresh: true });
  expect((await (await open(token)).json()).snapshot.messages).toHaveLength(4);
  const list: Page<ShareItem> = await (await callApi("GET", "/api/shares")).json();
  expect(list.items).toMatchObject([{ id, conversationId, url, revokedAt: null, views: 2 }]);
  await callApi("DELETE", `/api/shares/${id}`);
  expect((await open(token)).status).toBe(410);
  expect((await open(`${token}x`)).status).toBe(404);
});

test("what looks like a secret holds the link back until it is redacted or accepted", async () => {
  const { conversationId } = await ask(`my key is ${secret}`);
  const refused = await share(conversationId);
  expect(refused.status).toBe(422);
  const text = await refused.text();
  expect(text).toContain("secrets_found");
  expect(text).not.toContain(secret);
  expect(await (await share(conversationId, { dryRun: true, redact: true })).json()).toMatchObject({
    token: null,
  });
  const { token } = await (await share(conversationId, { redact: true })).json();
  expect(await (await open(token)).text()).not.toContain(secret);
  const accepted = await (await share(conversationId, { accept: true })).json();
  expect(await (await open(accepted.token)).text()).toContain(secret);
});

test("a shared conversation goes on as one's own copy", async () => {
  const { conversationId } = await ask("count to 3");
  const { token } = await (await share(conversationId)).json();
  const forked = await callApi("POST", `/api/share/${token}/fork`, {});
  expect(forked.status).toBe(201);
  const copy = await forked.json();
  const next = await ask("count to 2", copy.conversationId);
  expect(next.status).toBe("completed");
  const detail: ConversationDetail = await (
    await callApi("GET", `/api/conversations/${copy.conversationId}`)
  ).json();
  expect(detail.messages).toHaveLength(4);
});

test("a link that has expired is gone, and one cannot be made for the past", async () => {
  const { conversationId } = await ask("count to 3");
  expect((await share(conversationId, { expiresAt: "2020-01-01T00:00:00Z" })).status).toBe(400);
  const { id, token } = await (await share(conversationId)).json();
  await callApi("PATCH", `/api/shares/${id}`, { expiresAt: "2020-01-01T00:00:00Z" });
  expect((await open(token)).status).toBe(410);
});

test("deleting a conversation ends its links", async () => {
  const { conversationId } = await ask("count to 3");
  const { token } = await (await share(conversationId)).json();
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  expect((await open(token)).status).toBe(404);
});
