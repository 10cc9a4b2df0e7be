import { buffer } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { fromBuffer } from "yauzl";
import type { ConversationFile, ExportManifest, ExportSkipped } from "@/lib/protocol/conversation-file";
import { redact } from "@/lib/protocol/redact";
import { noisyPng } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

let script: (results: number) => Step[] = () => [say("Nothing.")];
const model = await startOpenAiServer(({ toolResults }) => script(toolResults.length), {
  models: ["seer-vision"],
});
afterAll(() => model.close());

withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" },
);

const png = noisyPng(40);
const hostile = "<script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>";

async function upload(bytes: Uint8Array | string, name: string, type: string): Promise<string> {
  const headers = { "content-type": type, "x-filename": encodeURIComponent(name) };
  return (await (await callApi("POST", "/api/attachments", bytes, headers)).json()).id;
}

async function ask(text: string, more: object = {}) {
  const body = { message: { text }, model: "openai/seer-vision", ...more };
  return readStream(await callApi("POST", "/api/chat", body));
}

/** A question with files, answered with a call. */
async function askWithCall(text = "Look at it.") {
  script = (results) =>
    results === 0
      ? [say("I look."), callTools({ name: "plain__echo", args: { text: hostile } })]
      : [
          say(
            `**Done.** [site](https://example.com) [bad](javascript:alert(1)) ![pixel](https://example.com/p.png)\n\n${hostile}\n\n\`\`\`html\n${hostile}`,
          ),
        ];
  const attachments = [
    { id: await upload(png, "写真.png", "image/png") },
    { id: await upload("a,b\n1,2\n", "table.csv", "text/csv") },
  ];
  return { ...(await ask(text, { message: { text, attachments } })), attachments };
}

const get = (path: string, headers?: Record<string, string>) => callApi("GET", path, undefined, headers);
const exported = (id: string, query: string) => get(`/api/conversations/${id}/export?${query}`);

async function entriesOf(response: Response): Promise<Map<string, Buffer>> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, Buffer>>();
  const entries = new Map<string, Buffer>();
  fromBuffer(bytes, { lazyEntries: true }, (fault, zip) => {
    if (fault) return reject(fault);
    zip.on("entry", (entry) =>
      zip.openReadStream(entry, (cause, stream) => {
        if (cause) return reject(cause);
        buffer(stream).then((content) => {
          entries.set(entry.fileName, content);
          zip.readEntry();
        }, reject);
      }),
    );
    zip.on("end", () => resolve(entries));
    zip.readEntry();
  });
  return promise;
}

const jsonOf = <Value>(entries: Map<string, Buffer>, path: string): Value =>
  JSON.parse(entries.get(path)?.toString() ?? "null");

test("the JSON of a conversation has its tree, its runs with their logs, and its files", async () => {
  const { conversationId, runId, messageId, attachments } = await askWithCall();
  script = () => [say("Another answer.")];
  await readStream(await callApi("POST", "/api/chat", { conversationId, regenerate: messageId }));
  const response = await exported(conversationId, "format=json");
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const file: ConversationFile = await response.json();
  expect(file).toMatchObject({ meguri: "conversation", version: 1, id: conversationId, pinned: false });
  expect(file.messages.map(({ message: { role } }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "assistant",
  ]);
  expect(file.messages.filter(({ parentId }) => parentId === messageId)).toHaveLength(2);
  expect(file.leafId).toBe(file.messages.at(-1)?.id);
  expect(file.runs).toHaveLength(2);
  const log = (await (await get(`/api/runs/${runId}/events`)).text()).trim().split("\n");
  const events = file.runs[0]?.events.map((event) => ({ ...event, data: redact(event.data) }));
  expect(events).toEqual(log.map((line) => JSON.parse(line)));
  expect(file.runs[0]).toMatchObject({ id: runId, status: "completed", result: { stopReason: "end_turn" } });
  const picture = file.files.find(({ id }) => id === attachments[0]?.id);
  expect(picture).toMatchObject({ name: "写真.png", mediaType: "image/png", size: png.length });
  expect(Buffer.from(picture?.data ?? "", "base64").equals(png)).toBe(true);
  expect(JSON.stringify(file)).not.toMatch(/"userId"|allowReads/);
});

test("Markdown tells the branch with its calls, and the reasoning where it is asked for", async () => {
  const { conversationId, attachments } = await askWithCall("```\nWhat is this?");
  const response = await exported(conversationId, "format=md");
  expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const text = await response.text();
  expect(text).toContain(`> \`\`\`\n> What is this?\n>\n> ![写真.png](attachment:${attachments[0]?.id})`);
  expect(text).toContain("## Answer (openai/seer-vision)");
  expect(text).toContain("<summary>Tool call: <code>plain__echo</code></summary>");
  expect(text.trimEnd().endsWith("```")).toBe(true);
  const japanese = await (
    await get(`/api/conversations/${conversationId}/export?format=md`, { "accept-language": "ja" })
  ).text();
  expect(japanese).toContain("## 質問");
});

test("HTML shows the same, with pictures inside and nothing that runs or is fetched", async () => {
  const { conversationId } = await askWithCall(hostile);
  const response = await exported(conversationId, "format=html");
  expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
  const html = await response.text();
  expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'`);
  expect(html).toContain(`src="data:image/png;base64,${png.toString("base64")}"`);
  expect(html).toContain("<strong>Done.</strong>");
  expect(html).toContain('<a href="https://example.com" rel="noopener noreferrer">site</a>');
  expect(html.match(/<script|<iframe|<link|javascript:/gi)).toBeNull();
  expect([...html.matchAll(/<img[^>]*src="([^"]{0,10})/g)].map(([, src]) => src)).toEqual(["data:image"]);
  expect(html).toContain("table.csv (1 KB)");
  const other = await get(`/api/conversations/${conversationId}/export?format=html`, { cookie: "locale=ja" });
  expect(await other.text()).toContain('<html lang="ja">');
});

test("a file is called as its conversation is, without what would mislead", async () => {
  const { conversationId } = await ask("Hello");
  const named = async (title: string) => {
    const { store } = await getDeps();
    await store.conversations.update(conversationId, { title });
    const response = await exported(conversationId, "format=md");
    await response.body?.cancel();
    const [, plain = "", coded = ""] =
      /^attachment; filename="([^"]+)"; filename\*=UTF-8''([\w%.~-]+)$/.exec(
        response.headers.get("content-disposition") ?? "",
      ) ?? [];
    return [plain, decodeURIComponent(coded)];
  };
  expect(await named("天気の話")).toEqual(["meguri.md", "天気の話.md"]);
  expect(await named("../../etc/passwd")).toEqual(["etc passwd.md", "etc passwd.md"]);
  expect(await named('a"b\r\nX: y\u0000')).toEqual(["a b X y.md", "a b X y.md"]);
  expect(await named("invoice\u202Efdp.exe")).toEqual(["invoice fdp.exe.md", "invoice fdp.exe.md"]);
  expect(await named("CON")).toEqual(["CON_.md", "CON_.md"]);
  expect(await named("\u202E..")).toEqual(["conversation.md", "conversation.md"]);
  const [, long = ""] = await named("長".repeat(100_000));
  expect(long).toBe(`${"長".repeat(80)}.md`);
});

test("one that goes on is exported as far as it is stored, and says so", async () => {
  const held = Promise.withResolvers<void>();
  const reached = model.request(model.requests.length);
  script = () => [say("Half an answer"), { type: "until", done: held.promise }, say(" and the rest.")];
  const response = await callApi("POST", "/api/chat", {
    message: { text: "Long." },
    model: "openai/seer-vision",
  });
  const runId = response.headers.get("x-run-id") ?? "";
  await reached;
  const { conversationId } = await (await get(`/api/runs/${runId}`)).json();
  await expect
    .poll(async () => (await (await get(`/api/runs/${runId}/events`)).text()).includes("Half"))
    .toBe(true);
  await callApi("POST", `/api/runs/${runId}/messages`, {
    text: "And then?",
    when: "after",
    clientMessageId: "w",
  });
  const file: ConversationFile = await (await exported(conversationId, "format=json")).json();
  expect(file.runs).toMatchObject([{ id: runId, status: "running", endedAt: null, result: null }]);
  expect(file.messages).toHaveLength(1);
  expect(file.waiting).toMatchObject([{ when: "after", message: { parts: [{ text: "And then?" }] } }]);
  expect(await (await exported(conversationId, "format=md")).text()).toContain(
    "An answer was still on its way when this was exported.",
  );
  held.resolve();
  await readStream(response);
  // What waited is asked now, and answered before the application is closed.
  const now = async () => (await get(`/api/conversations/${conversationId}`)).json();
  await expect.poll(async () => (await now()).messages.length).toBe(4);
  await expect.poll(async () => (await now()).activeRunId).toBeNull();
});

test("the zip has a manifest, each conversation and each file as it is", async () => {
  const { conversationId, attachments } = await askWithCall();
  const { conversationId: other } = await ask("Second");
  const response = await get(`/api/export?ids=${conversationId},${other}`);
  expect(response.headers.get("content-type")).toBe("application/zip");
  expect(response.headers.get("x-export-conversations")).toBe("2");
  const entries = await entriesOf(response);
  expect([...entries.keys()]).toEqual([
    "meguri.json",
    `conversations/${other}.json`,
    `conversations/${conversationId}.json`,
    `attachments/${attachments[0]?.id}/写真.png`,
    `attachments/${attachments[1]?.id}/table.csv`,
  ]);
  const manifest = jsonOf<ExportManifest>(entries, "meguri.json");
  expect(manifest).toMatchObject({
    meguri: "export",
    version: 1,
    attachments: { count: 2, bytes: png.length + 8 },
  });
  const [path = ""] = manifest.conversations.filter(({ id }) => id === conversationId).map((one) => one.path);
  const file = jsonOf<ConversationFile>(entries, path);
  const picture = file.files.find(({ name }) => name === "写真.png");
  expect(picture?.data).toBeUndefined();
  expect(entries.get(picture?.path ?? "")?.equals(png)).toBe(true);
  const all = await entriesOf(await get("/api/export"));
  expect(all.has(`conversations/${other}.json`)).toBe(true);
});

test("what is deleted or damaged meanwhile is left out by name, and the rest is there", async () => {
  const { conversationId: kept } = await ask("Kept");
  const { conversationId: deleted } = await ask("Deleted");
  const { conversationId: damaged } = await ask("Damaged");
  const { store } = await getDeps();
  const read = store.messages.get;
  store.messages.get = async (conversationId, id) => {
    if (conversationId !== damaged) return read(conversationId, id);
    throw Object.assign(new Error("The stored message cannot be read."), {
      name: "StoreError",
      code: "broken_row",
    });
  };
  const of = store.outlines.of;
  store.outlines.of = (user, id) => (id === deleted ? Promise.resolve(undefined) : of(user, id));
  try {
    const entries = await entriesOf(await get(`/api/export?ids=${kept},${deleted},${damaged}`));
    expect([...entries.keys()]).toEqual(["meguri.json", `conversations/${kept}.json`, "skipped.json"]);
    expect(jsonOf<ExportSkipped>(entries, "skipped.json").skipped).toEqual([
      { id: damaged, title: "Damaged", reason: "damaged" },
      { id: deleted, title: "Deleted", reason: "deleted" },
    ]);
  } finally {
    store.messages.get = read;
    store.outlines.of = of;
  }
});

test("what is deleted is in no export, and a message shows no file that is not its conversation's", async () => {
  const { conversationId, attachments } = await askWithCall("Private");
  const { conversationId: other, messageId } = await ask("Another");
  const { store } = await getDeps();
  const part = {
    type: "file" as const,
    mediaType: "image/png",
    attachmentId: attachments[0]?.id ?? "",
    size: 9,
  };
  const place = { id: "m-foreign", conversationId: other, parentId: messageId, runId: null, model: null };
  await store.messages.append(other, [
    { ...place, clientMessageId: null, createdAt: Date.now(), message: { role: "user", parts: [part] } },
  ]);
  const html = await (await exported(other, "format=html")).text();
  expect(html).toContain('<span class="file">image/png');
  expect(html).not.toContain("<img");
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  expect((await exported(conversationId, "format=json")).status).toBe(404);
  const entries = await entriesOf(await get("/api/export"));
  const names = `${[...entries.keys()]} ${entries.get("meguri.json")} ${entries.get("skipped.json")}`;
  expect(names).toContain(other);
  expect(names).not.toContain(conversationId);
  expect(names).not.toContain(attachments[0]?.id);
});

test("bad requests are named, and there is no room for a ninth export until one has ended", async () => {
  expect((await exported("nobody", "format=json")).status).toBe(404);
  expect((await exported("nobody", "format=pdf")).status).toBe(400);
  expect((await get("/api/export?ids=nobody")).status).toBe(404);
  const many = Array.from({ length: 201 }, (_, at) => `c${at}`).join(",");
  const refused = await get(`/api/export?ids=${many}`);
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    400,
    expect.stringMatching(/^ids: /),
  ]);
  const { conversationId } = await ask("Hello");
  const open: Response[] = [];
  for (let at = 0; at < 4; at++)
    open.push(await exported(conversationId, "format=json"), await get(`/api/export?ids=${conversationId}`));
  expect((await exported(conversationId, "format=json")).status).toBe(503);
  for (const response of open) await response.body?.cancel();
  expect((await exported(conversationId, "format=json")).status).toBe(200);
});
