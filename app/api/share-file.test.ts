import { afterAll, expect, test } from "vitest";
import { noisyPng, pdfOf } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { png, pngChunk } from "@/lib/providers/testing/pictures";
import { callTools, type Step, say, think } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

let turns: Step[][] = [];
const model = await startOpenAiServer(() => turns.shift() ?? [say("Done.")], {
  capabilities: ["completion", "tools", "vision"],
});
afterAll(() => model.close());

withApplication(
  { pay: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" },
);

const stranger = (path: string, headers: Record<string, string> = {}) =>
  callApi("GET", path, undefined, { authorization: "", ...headers });
const share = (id: string, body: object = {}) => callApi("POST", `/api/conversations/${id}/shares`, body);
const file = (id: string, body: object = {}) => callApi("POST", `/api/conversations/${id}/shares/file`, body);

async function attach(bytes: Buffer, name: string, type: string): Promise<string> {
  const headers = { "content-type": type, "x-filename": encodeURIComponent(name) };
  return (await (await callApi("POST", "/api/attachments", new Uint8Array(bytes), headers)).json()).id;
}

async function ask(text: string, ids: string[] = [], answer: Step[][] = [[say("Done.")]]) {
  turns = answer;
  const message = { text, attachments: ids.map((id) => ({ id })) };
  return (await readStream(await callApi("POST", "/api/chat", { model: "openai/test", message })))
    .conversationId;
}

const everything = { default: "full", reasoning: true, attachments: true } as const;

test("the file of a link is one page that shows its copy, runs nothing and fetches nothing", async () => {
  const id = await attach(png([pngChunk("tEXt", Buffer.from("Author\0canary"))]), "写真.png", "image/png");
  const conversationId = await ask(
    "Pay <b>a@acme.dev</b>",
    [id],
    [
      [think("**secret** plan"), callTools({ name: "pay__echo", args: { text: "for a@acme.dev" } })],
      [say("# Paid\n\n[a@acme.dev](https://acme.dev) ![x](https://evil.example/p.png)<script>x</script>")],
    ],
  );
  const made = await (await share(conversationId, { policy: everything, redact: true })).json();
  const response = await stranger(`/api/share/${made.token}?format=html`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(/^sandbox/),
    "content-disposition": expect.stringMatching(
      /^attachment; filename="meguri\.html"; filename\*=UTF-8''Pay/,
    ),
  });
  const html = await response.text();
  expect(html).toContain(`content="default-src 'none'`);
  expect(html).toContain(`src="data:image/png;base64,${noisyPng(8).toString("base64")}"`);
  expect(html).toMatch(
    /Pay &lt;b&gt;<span class="block" role="img" aria-label="redacted: e-mail address" style="width:72px"><\/span>/,
  );
  expect(html).toMatch(/<h1 dir="auto">Pay &lt;b&gt;<span class="block"/);
  expect(html.match(/<script|<iframe|<link|<img[^>]*src="(?!data:)|canary|a@acme/gi)).toBeNull();
  expect(html).toContain("<strong>secret</strong>");
  const japanese = await (
    await stranger(`/api/share/${made.token}?format=html`, { "accept-language": "ja" })
  ).text();
  expect(japanese).toContain('<html lang="ja">');
  expect(japanese).toContain('aria-label="伏せ字：メールアドレス"');

  await callApi("DELETE", `/api/shares/${made.id}`);
  expect((await stranger(`/api/share/${made.token}?format=html`)).status).toBe(410);
  expect((await stranger("/api/share/never?format=html")).status).toBe(404);
  expect((await stranger(`/api/share/${made.token}?format=pdf`)).status).toBe(400);
});

test("a copy is saved without a link, by the same policy, and held back by the same findings", async () => {
  const conversationId = await ask(
    "Pay",
    [],
    [
      [think("a plan"), callTools({ name: "pay__echo", args: { text: "canary" } })],
      [say("Paid, says a@acme.dev.")],
    ],
  );
  expect((await file(conversationId)).status).toBe(422);
  const policy = { default: "hidden" };
  const html = await (await file(conversationId, { policy, redact: true })).text();
  expect(html).toContain('<span class="name">pay__echo</span>');
  expect(html).toContain("The author has not shared the arguments and the result of this call.");
  expect(html).not.toMatch(/canary|a plan|a@acme/);
  const short = await (await file(conversationId, { policy: { default: "summary" }, accept: true })).text();
  expect(short).toContain("The result has 22 characters.");
  expect(short).toContain("a@acme.dev");
  const { items } = await (await callApi("GET", "/api/shares")).json();
  expect(items.filter((item: { conversationId: string }) => item.conversationId === conversationId)).toEqual(
    [],
  );
});

test("a file that may name its author is looked at before, and left out with its name when it is not kept", async () => {
  const pdf = await attach(pdfOf("Report"), "canary.pdf", "application/pdf");
  const text = await attach(Buffer.from("a,b"), "table.csv", "text/csv");
  const conversationId = await ask("", [pdf, text]);
  const dry = await (await share(conversationId, { dryRun: true, policy: everything })).json();
  expect(dry.findings).toEqual([
    {
      id: expect.any(String),
      kind: "file properties",
      excerpt: "canary.pdf",
      where: { in: "file" },
      count: 1,
      decision: null,
    },
  ]);
  expect((await share(conversationId, { policy: everything })).status).toBe(422);
  const kept = await (
    await share(conversationId, { policy: everything, accept: [dry.findings[0].id] })
  ).json();
  expect((await stranger(`/api/share/${kept.token}/attachments/${pdf}`)).status).toBe(200);
  const made = await (await share(conversationId, { policy: everything, redact: true })).json();
  const told = await (await stranger(`/api/share/${made.token}`)).text();
  expect(told).not.toContain("canary");
  expect(told).toContain("table.csv");
  expect((await stranger(`/api/share/${made.token}/attachments/${pdf}`)).status).toBe(404);
});

test("a picture that nobody can look through is in no copy, whatever is decided, and in none that is older", async () => {
  const broken = noisyPng(8);
  const id = await attach(Buffer.concat([broken.subarray(0, broken.length - 12)]), "canary.png", "image/png");
  const conversationId = await ask("Look", [id]);
  const made = await (await share(conversationId, { policy: everything, accept: true })).json();
  expect(made.findings).toMatchObject([
    { kind: "damaged picture", excerpt: "canary.png", decision: "redact" },
  ]);
  expect(await (await stranger(`/api/share/${made.token}`)).text()).not.toContain("canary");
  // As a version made it that did not look.
  const { store } = await getDeps();
  const row = await store.shares.get("local", made.id);
  const { messages } = await (await callApi("GET", `/api/conversations/${conversationId}`)).json();
  await store.shares.update(made.id, { snapshot: { ...(row?.snapshot ?? made.preview), messages } });
  const refused = await stranger(`/api/share/${made.token}/attachments/${id}`);
  expect([refused.status, (await refused.json()).error.code]).toEqual([415, "unsupported_file"]);
  expect(await (await stranger(`/api/share/${made.token}?format=html`)).text()).not.toContain("<img");
});

test("what was redacted in the name of a picture is not drawn within its tag", async () => {
  const id = await attach(noisyPng(8), "a@acme.dev.png", "image/png");
  const conversationId = await ask("Look", [id]);
  const html = await (await file(conversationId, { policy: everything, redact: true })).text();
  expect(html).toMatch(/<img alt="⟦e-mail address █+⟧" src="data:/);
});

test("a file is called as in the copy, also where it is fetched and in the reader's own", async () => {
  const id = await attach(noisyPng(8), "a@acme.dev.png", "image/png");
  const conversationId = await ask("Look", [id]);
  const { token } = await (await share(conversationId, { policy: everything, redact: true })).json();
  const sent = await stranger(`/api/share/${token}/attachments/${id}`);
  expect(sent.status).toBe(200);
  const name = decodeURIComponent(sent.headers.get("content-disposition") ?? "");
  expect(name).toMatch(/''⟦e-mail address █+⟧/);
  expect(name).not.toContain("acme");
  const forked = await (await callApi("POST", `/api/share/${token}/fork`, {})).json();
  const { store } = await getDeps();
  const [copy = ""] = await store.attachments.idsOf(forked.conversationId);
  expect((await store.attachments.get("local", copy))?.name).toMatch(/^⟦e-mail address █+⟧/);
});

test("a copy of a link has no metadata either", async () => {
  const id = await attach(png([pngChunk("tEXt", Buffer.from("canary"))]), "a.png", "image/png");
  const conversationId = await ask("Look", [id]);
  const { token } = await (await share(conversationId, { policy: everything })).json();
  const forked = await (await callApi("POST", `/api/share/${token}/fork`, {})).json();
  const { messages } = await (await callApi("GET", `/api/conversations/${forked.conversationId}`)).json();
  const copy = messages[0].parts.find((part: { type: string }) => part.type === "file");
  expect(copy.attachmentId).not.toBe(id);
  expect(copy.size).toBe(noisyPng(8).length);
  const bytes = Buffer.from(
    await (await callApi("GET", `/api/attachments/${copy.attachmentId}`)).arrayBuffer(),
  );
  expect(bytes).toEqual(noisyPng(8));
});
