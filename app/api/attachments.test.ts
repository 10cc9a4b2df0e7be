import { expect, it } from "vitest";
import { noisyPng, pdfOf } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { restorableMs } from "@/lib/server/conversations/delete-conversation";
import { purgeDeleted } from "@/lib/server/conversations/purge";
import { getDeps } from "@/lib/server/entry/deps";
import { storedNames } from "@/lib/server/testing/stored-files";
import { callApi, readStream, withApplication } from "./testing/call-api";

const model = await startOpenAiServer([[say("Seen.")]], { models: ["seer-vision"] });
withApplication({}, { OPENAI_BASE_URL: model.url });

const png = noisyPng(40);

const upload = (bytes: Uint8Array | string, name: string, type: string) =>
  callApi("POST", "/api/attachments", bytes, {
    "content-type": type,
    "x-filename": encodeURIComponent(name),
  });

async function uploaded(bytes: Uint8Array | string, name: string, type: string): Promise<string> {
  const response = await upload(bytes, name, type);
  expect(response.status).toBe(201);
  return (await response.json()).id;
}

async function ask(text: string, ids: string[], more: object = {}) {
  const body = {
    message: { text, attachments: ids.map((id) => ({ id })) },
    model: "openai/seer-vision",
    ...more,
  };
  return readStream(await callApi("POST", "/api/chat", body));
}

const sentText = (index = -1) => JSON.stringify(model.requests.at(index)?.body.messages);

it("says what a file is by its content, and gives it back as it was", async () => {
  const response = await upload(png, "写真.png", "application/octet-stream");
  const item = await response.json();
  expect(item).toEqual({ id: expect.any(String), name: "写真.png", mimeType: "image/png", size: png.length });
  const read = await callApi("GET", `/api/attachments/${item.id}`);
  expect(Buffer.from(await read.arrayBuffer()).equals(png)).toBe(true);
  expect(read.headers.get("content-type")).toBe("image/png");
  expect(read.headers.get("content-security-policy")).toMatch(/sandbox/);
  const page = await uploaded("<script>alert(1)</script>", "page.html", "text/html");
  const sent = await callApi("GET", `/api/attachments/${page}`);
  expect(sent.headers.get("content-type")).toBe("application/octet-stream");
  expect(sent.headers.get("content-disposition")).toMatch(/^attachment/);
});

it("gives what models read of a file as plain text, and nothing of one that they see", async () => {
  const page = await uploaded("<script>alert(1)</script>", "page.html", "text/html");
  const read = await callApi("GET", `/api/attachments/${page}?as=text`);
  expect(await read.text()).toBe("<script>alert(1)</script>");
  expect(read.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(read.headers.get("x-content-type-options")).toBe("nosniff");
  expect(read.headers.get("content-security-policy")).toMatch(/sandbox/);
  const image = await uploaded(png, "dot.png", "image/png");
  expect((await callApi("GET", `/api/attachments/${image}?as=text`)).status).toBe(404);
});

it.each([
  ["a PDF that is none", "report.pdf", "application/pdf", "just words", 415, /report\.pdf is not a PDF/],
  ["a damaged PDF", "cut.pdf", "application/pdf", "%PDF-1.4\nnothing", 422, /cut\.pdf is damaged/],
  ["an image that is none", "cat.png", "image/png", "<html>", 415, /cat\.png is not an image/],
  [
    "a program",
    "run.bin",
    "application/octet-stream",
    "\x7fELF\x02\x01\x01\0\0",
    415,
    /images, PDF and text/,
  ],
  ["nothing", "empty.txt", "text/plain", "", 400, /empty\.txt is empty/],
  ["a very long text", "long.txt", "text/plain", "x".repeat(400_001), 413, /400001 characters/],
])("refuses %s in words that name it", async (_, name, type, bytes, status, words) => {
  const before = await storedNames();
  const response = await upload(bytes, name, type);
  expect(response.status).toBe(status);
  expect((await response.json()).error.message).toMatch(words);
  expect(await storedNames()).toEqual(before);
});

it("refuses an image of 60 MB", async () => {
  const response = await upload(new Uint8Array(60 * 1024 * 1024), "huge.png", "image/png");
  expect(response.status).toBe(413);
  expect((await response.json()).error.message).toBe("huge.png is too large; a file may have at most 20 MB.");
});

it("brings images, texts and the text of PDFs to the model, and keeps only their names in the history", async () => {
  const ids = [
    await uploaded(png, "dot.png", "image/png"),
    await uploaded("name,age\nMia,7", "list.csv", "text/csv"),
    await uploaded(pdfOf("Invoice 4711", "Second page"), "invoice.pdf", "application/pdf"),
  ];
  const run = await ask("What is this?", ids);
  expect(run.status).toBe("completed");
  const sent = sentText();
  expect(sent).toContain(`data:image/png;base64,${png.toString("base64")}`);
  expect(sent).toContain("Mia,7");
  expect(sent).toMatch(/invoice\.pdf.*Invoice 4711.*Second page/);
  const { messages } = await (await callApi("GET", `/api/conversations/${run.conversationId}`)).json();
  expect(JSON.stringify(messages)).not.toContain("base64");
  expect(messages[0].parts).toMatchObject([
    { type: "file", attachmentId: ids[0], mediaType: "image/png", name: "dot.png" },
    { type: "file", attachmentId: ids[1], mediaType: "text/csv", characters: 14 },
    { type: "file", attachmentId: ids[2], mediaType: "application/pdf" },
    { type: "text", text: "What is this?" },
  ]);
  const next = await callApi("POST", "/api/chat", {
    conversationId: run.conversationId,
    message: { text: "And?" },
    model: "openai/seer-vision",
  });
  expect((await readStream(next)).status).toBe("completed");
  expect(sentText()).toContain(png.toString("base64"));
});

it("takes files alone, and names the conversation after the first", async () => {
  const run = await ask("", [await uploaded("hello", "letter.txt", "text/plain")]);
  const conversation = await (await callApi("GET", `/api/conversations/${run.conversationId}`)).json();
  expect(conversation.title).toBe("letter.txt");
  const nothing = await callApi("POST", "/api/chat", { message: { text: " " } });
  expect((await nothing.json()).error.message).toMatch(/^message\.text: must not be empty/);
});

it("names the attachment that is not there, and stores nothing", async () => {
  const response = await callApi("POST", "/api/chat", {
    message: { text: "Look", attachments: [{ id: "0190-gone" }] },
  });
  expect(response.status).toBe(404);
  expect((await response.json()).error.message).toMatch(/^message\.attachments\.0: .*attach it again/);
});

it("copies a file into another conversation, and a day after the conversation that it belongs to it is deleted", async () => {
  const id = await uploaded(png, "twice.png", "image/png");
  const first = await ask("Once", [id]);
  const second = await ask("Twice", [id]);
  await callApi("DELETE", `/api/conversations/${first.conversationId}`);
  expect((await callApi("GET", `/api/attachments/${id}`)).status).toBe(404);
  expect(await storedNames()).toContain(id);
  const aDayLater = { isClosed: () => false, now: Date.now() + restorableMs };
  expect(await purgeDeleted(await getDeps(), aDayLater)).toBe(1);
  expect(await storedNames()).not.toContain(id);
  const { messages } = await (await callApi("GET", `/api/conversations/${second.conversationId}`)).json();
  const copy = messages[0].parts[0].attachmentId;
  expect(copy).not.toBe(id);
  expect((await callApi("GET", `/api/attachments/${copy}`)).status).toBe(200);
});

it("shows a shared conversation's files to whoever has the link, no others, and not after its end", async () => {
  const id = await uploaded(png, "shared.png", "image/png");
  const other = await uploaded(png, "private.png", "image/png");
  const run = await ask("Look", [id]);
  const share = await (await callApi("POST", `/api/conversations/${run.conversationId}/shares`, {})).json();
  const read = (file: string) =>
    callApi("GET", `/api/share/${share.token}/attachments/${file}`, undefined, { authorization: "" });
  const shown = await read(id);
  expect(shown.status).toBe(200);
  expect(shown.headers.get("cache-control")).toBe("private, no-store");
  expect((await read(other)).status).toBe(404);
  const { conversationId } = await (await callApi("POST", `/api/share/${share.token}/fork`, {})).json();
  const { messages } = await (await callApi("GET", `/api/conversations/${conversationId}`)).json();
  const copy = messages[0].parts[0].attachmentId;
  expect(copy).not.toBe(id);
  expect((await callApi("GET", `/api/attachments/${copy}`)).status).toBe(200);
  await callApi("DELETE", `/api/shares/${share.id}`);
  expect((await read(id)).status).toBe(404);
});
