import { homedir } from "node:os";
import { expect, test } from "vitest";
import type { ConversationDetail, Page } from "@/lib/protocol/http";
import type { ShareItem, ShareSnapshot } from "@/lib/protocol/shares";
import { noisyPng } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { fail } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { hash } from "@/lib/server/secrets";
import { callApi, readStream, withApplication } from "./testing/call-api";

const root = "/srv/acme-internal";
const model = await startOpenAiServer([[fail(400, "the account of jane@acme.example is closed")]], {
  models: ["broken"],
});
withApplication(
  {
    plain: {
      command: "node",
      args: ["lib/mcp/testing/fixture-server.mjs", "plain", `--files=${root}/files`],
      roots: [root],
    },
  },
  { OPENAI_BASE_URL: model.url },
);

const secret = `sk-${"a1b2".repeat(6)}`;
const ask = async (text: string, conversationId?: string, more: object = {}) =>
  readStream(
    await callApi("POST", "/api/chat", {
      message: { text },
      model: "demo/demo",
      ...(conversationId && { conversationId }),
      ...more,
    }),
  );
const share = (id: string, body: object = {}) => callApi("POST", `/api/conversations/${id}/shares`, body);
const update = (id: string, body: object = {}) =>
  callApi("PATCH", `/api/shares/${id}`, { refresh: true, ...body });
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
  expect(list.items.filter((item) => item.id === id)).toMatchObject([
    { conversationId, url, revokedAt: null, views: 2 },
  ]);
  await callApi("DELETE", `/api/shares/${id}`);
  expect((await open(token)).status).toBe(410);
  expect((await open(`${token}x`)).status).toBe(404);
});

test("a stranger reads nothing of what the conversation uses", async () => {
  const told = { instructions: "OwnWords", description: "OwnWords", examples: ["OwnWords"] };
  const assistant = await (await callApi("POST", "/api/assistants", { name: "OwnWords", ...told })).json();
  const choice = { assistant: assistant.id, effort: "low", servers: ["OwnWords"], instructions: "OwnWords" };
  const project = { name: "OwnWords", instructions: "OwnWords" };
  const projectId = (await (await callApi("POST", "/api/projects", project)).json()).id;
  const { id } = await (await callApi("POST", "/api/conversations", { choice, projectId })).json();
  await ask("count to 2", id, { instructions: "OwnWords" });
  const shared = await share(id);
  expect(shared.status).toBe(201);
  const { token, preview } = await shared.json();
  const texts = [JSON.stringify(preview), await (await open(token)).text()];
  for (const text of texts) {
    expect(text).toContain("count to 2");
    expect(text).not.toMatch(new RegExp(`OwnWords|"choice"|${assistant.id}|${projectId}`));
  }
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

test("what looks private is decided on one by one, and redacted everywhere", async () => {
  const { conversationId } = await ask(`write aiko@acme.dev about db.internal, from ${secret}`);
  const dry = await (await share(conversationId, { dryRun: true })).json();
  const ids: string[] = dry.findings.map(({ id }: { id: string }) => id);
  expect(dry.findings.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(["e-mail address", "internal host", "API key"]),
  );
  expect((await share(conversationId, { redact: ids.slice(1) })).status).toBe(422);
  const made = await share(conversationId, { redact: ids.slice(1), accept: ids.slice(0, 1) });
  expect(made.status).toBe(201);
  const { token, findings } = await made.json();
  expect(findings.map(({ decision }: { decision: string }) => decision)).toEqual([
    "accept",
    ...ids.slice(1).map(() => "redact"),
  ]);
  const told = await (await open(token)).text();
  expect(told).toContain("aiko@acme.dev");
  expect(told).not.toMatch(/db\.internal|sk-a1/);
  expect((await share(conversationId, { redact: "all" })).status).toBe(400);
});

test("a title that was cut within what is redacted keeps nothing of it", async () => {
  const password = "Kx9vQ2mZ7pLw4TnBabcdef";
  const { conversationId } = await ask(
    `Connect with postgres://reporting_user:${password}@db.example.com/x and list the tables`,
  );
  const { preview, token } = await (await share(conversationId, { redact: true })).json();
  expect(preview.title).toMatch(/⟦.+ █+⟧…$/);
  expect(await (await open(token)).text()).not.toContain(password.slice(0, 6));
  const kept = await (await share(conversationId, { accept: true })).json();
  expect(kept.preview.title).toContain(password.slice(0, 6));
});

test("who has shared it is told only where that was asked for, and nobody is called what he has not said", async () => {
  const { conversationId } = await ask("count to 2");
  const unnamed = await share(conversationId, { author: true });
  expect([unnamed.status, (await unnamed.json()).error]).toEqual([
    422,
    { code: "no_name", message: expect.stringMatching(/^author: .* displayName/) },
  ]);
  await callApi("PATCH", "/api/settings", { displayName: " Aiko <b> " });
  const authorOf = async (token: string) => (await (await open(token)).json()).snapshot.author;
  const { id, token, preview } = await (await share(conversationId, { author: true })).json();
  expect([preview.author, await authorOf(token)]).toEqual(["Aiko <b>", "Aiko <b>"]);
  const html = await callApi("GET", `/api/share/${token}?format=html`, undefined, { authorization: "" });
  expect(await html.text()).toContain('<p class="meta">Shared by Aiko &lt;b&gt;. ');
  await callApi("PATCH", "/api/settings", { displayName: "Aiko" });
  await update(id);
  expect(await authorOf(token)).toBe("Aiko");
  // A name that was taken back holds up no other change.
  await callApi("PATCH", "/api/settings", { displayName: "" });
  const hidden = { default: "hidden", tools: {}, reasoning: false, attachments: false };
  expect((await callApi("PATCH", `/api/shares/${id}`, { policy: hidden })).status).toBe(200);
  expect(await authorOf(token)).toBeUndefined();
  expect((await callApi("PATCH", `/api/shares/${id}`, { author: true })).status).toBe(422);
  await callApi("PATCH", "/api/settings", { displayName: "Aiko" });
  await callApi("PATCH", `/api/shares/${id}`, { author: true });
  expect(await authorOf(token)).toBe("Aiko");
  await callApi("PATCH", `/api/shares/${id}`, { author: false });
  expect(await authorOf(token)).toBeUndefined();
  expect(await authorOf((await (await share(conversationId)).json()).token)).toBeUndefined();
});

test("a link is brought up to date only without secrets, or with a word about them", async () => {
  const { conversationId } = await ask("count to 3");
  const { id, token } = await (await share(conversationId)).json();
  await ask(`my key is ${secret}`, conversationId);
  const refused = await update(id);
  expect(refused.status).toBe(422);
  const { error } = await refused.json();
  expect(error.code).toBe("secrets_found");
  expect(error.details.findings[0]).toEqual({
    ...{ id: expect.any(String), kind: "API key", excerpt: "sk-a…", where: { in: "question" } },
    ...{ count: 1, decision: null },
  });
  expect((await (await open(token)).json()).snapshot.messages).toHaveLength(2);
  expect((await update(id, { redact: true })).status).toBe(200);
  const redacted = await (await open(token)).text();
  expect(redacted).not.toContain(secret);
  expect(JSON.parse(redacted).snapshot.messages).toHaveLength(4);
  expect((await update(id, { accept: true })).status).toBe(200);
  expect(await (await open(token)).text()).toContain(secret);
});

test("a revoked link is not brought up to date, and its copy is gone", async () => {
  const { conversationId } = await ask("count to 3");
  const { id, token } = await (await share(conversationId)).json();
  await callApi("DELETE", `/api/shares/${id}`);
  expect((await update(id)).status).toBe(410);
  expect((await callApi("PATCH", `/api/shares/${id}`, { expiresAt: null })).status).toBe(410);
  const { store } = await getDeps();
  expect((await store.shares.byToken(hash(token)))?.snapshot).toMatchObject({
    ...{ title: "", messages: [], runs: [] },
  });
  expect((await open(token)).status).toBe(410);
});

test("a link that shows less never shows more again, whatever is done to it meanwhile", async () => {
  const { conversationId } = await ask('/tool plain__echo {"text":"canary"}');
  const { id, token } = await (await share(conversationId, { policy: { default: "full" } })).json();
  expect(await (await open(token)).text()).toContain("canary");
  const less = callApi("PATCH", `/api/shares/${id}`, { policy: { default: "hidden" }, author: false });
  await Promise.all([less, update(id), update(id)]);
  expect(JSON.stringify((await (await open(token)).json()).snapshot.messages.slice(1))).not.toContain(
    "canary",
  );
});

test("a link that is revoked while it is brought up to date keeps no copy", async () => {
  const { conversationId } = await ask("count to 3");
  const { id } = await (await share(conversationId)).json();
  const [, revoked] = await Promise.all([update(id), callApi("DELETE", `/api/shares/${id}`)]);
  expect(revoked.status).toBe(200);
  const row = await (await getDeps()).store.shares.get("local", id);
  expect([row?.revokedAt, row?.snapshot.messages]).toEqual([expect.any(Number), []]);
});

test("a link that has expired gives no file, and nothing to go on with", async () => {
  const file = await callApi("POST", "/api/attachments", noisyPng(8), {
    ...{ "content-type": "image/png", "x-filename": "a.png" },
  });
  const attachment = (await file.json()).id;
  const { conversationId } = await ask("count to 2", undefined, {
    message: { text: "count to 2", attachments: [{ id: attachment }] },
    model: "openai/broken-vision",
  });
  const { id, token } = await (await share(conversationId)).json();
  const read = () =>
    callApi("GET", `/api/share/${token}/attachments/${attachment}`, undefined, { authorization: "" });
  expect((await read()).status).toBe(200);
  await expireSoon(id);
  await expect.poll(async () => (await read()).status).toBe(404);
  expect((await callApi("POST", `/api/share/${token}/fork`, {})).status).toBe(410);
});

test.each([
  ["what a person is asked", "waiting", () => ask("/tool plain__echo {}")],
  ["why a model failed", "failed", () => ask("count to 2", undefined, { model: "openai/broken" })],
])("%s is the owner's", async (_, status, begin) => {
  const begun = await begin();
  expect(begun.status).toBe(status);
  const detail: ConversationDetail = await (
    await callApi("GET", `/api/conversations/${begun.conversationId}`)
  ).json();
  const [own] = detail.runs;
  expect(own?.pending.length || own?.error?.message).toBeTruthy();
  const { token } = await (await share(begun.conversationId)).json();
  const { snapshot }: { snapshot: ShareSnapshot } = await (await open(token)).json();
  expect(snapshot.runs).toMatchObject([{ id: own?.id, conversationId: "", pending: [], error: null }]);
});

test("folders of this machine are not told: home, our own, the data, and those of servers", async () => {
  const { env } = await getDeps();
  const cases = [
    [`${homedir()}/notes/a.md`, "~/notes/a.md"],
    [`${process.cwd()}/package.json`, "./package.json"],
    [`${env.DATA_DIR}/meguri.db`, "[data]/meguri.db"],
    [`${root}/plan.txt`, "[folder]/plan.txt"],
    [`${root}/files/b.csv`, "[folder]/b.csv"],
    [`file://${root}`, "file://[folder]"],
    // Another folder that only begins alike, and what everybody has.
    [`${root}2/plan.txt`, `${root}2/plan.txt`],
    ["/usr/bin/env", "/usr/bin/env"],
  ] as const;
  const { conversationId } = await ask(cases.map(([path]) => path).join(" | "));
  // The folder of somebody else is asked about, and no other.
  const { details } = (await (await share(conversationId)).json()).error;
  expect(details.findings).toMatchObject([{ kind: "local path", excerpt: `${root}2/plan.txt` }]);
  const { token } = await (await share(conversationId, { accept: true })).json();
  const { snapshot }: { snapshot: ShareSnapshot } = await (await open(token)).json();
  const [question] = snapshot.messages;
  expect(question?.role === "user" && question.parts).toEqual([
    { type: "text", text: cases.map(([, told]) => told).join(" | ") },
  ]);
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

test("a link that has expired is gone, and none can be made or changed to end in the past", async () => {
  const { conversationId } = await ask("count to 3");
  const past = { expiresAt: "2020-01-01T00:00:00Z" };
  expect((await share(conversationId, past)).status).toBe(400);
  const { id, token } = await (await share(conversationId)).json();
  expect((await callApi("PATCH", `/api/shares/${id}`, past)).status).toBe(400);
  expect((await open(token)).status).toBe(200);
  await expireSoon(id);
  await expect.poll(async () => (await open(token)).status).toBe(410);
});

async function expireSoon(id: string): Promise<void> {
  // On a loaded machine that time may have come before the request does, which is refused.
  const expire = () =>
    callApi("PATCH", `/api/shares/${id}`, { expiresAt: new Date(Date.now() + 300).toISOString() });
  await expect.poll(async () => (await expire()).status).toBe(200);
}

test("deleting a conversation ends its links", async () => {
  const { conversationId } = await ask("count to 3");
  const { token } = await (await share(conversationId)).json();
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  expect((await open(token)).status).toBe(410);
});
