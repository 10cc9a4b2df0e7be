import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { noisyPng, pdfOf } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { type Deps, getDeps } from "@/lib/server/entry/deps";
import { TemporaryChats } from "@/lib/server/entry/temporary-chats";
import { callApi, readStream, withApplication } from "./testing/call-api";

const secret = "words-that-reach-no-disk";
let asked = 0;
const model = await startOpenAiServer(({ lastUserText }) => {
  asked++;
  if (lastUserText === "Long") return [say("A long answer. ".repeat(300_000), { pieces: 400 })];
  return lastUserText.startsWith("Hang") ? [say("Thinking "), hang] : [say(`I heard ${lastUserText}.`)];
});
afterAll(() => model.close());
const fixture = ["lib/mcp/testing/fixture-server.mjs", "plain"];
withApplication({ plain: { command: "node", args: fixture } }, { OPENAI_BASE_URL: model.url });

const call = async (method: string, path: string, body?: unknown) => {
  const response = await callApi(method, path, body);
  return { status: response.status, body: await response.json() };
};
const codeOf = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, path, body);
  return [answer.status, answer.body.error?.code];
};
const post = (text: string, more: object = {}) =>
  callApi("POST", "/api/chat", { message: { text }, model: "openai/test-model", ...more });
const ask = async (text: string, more: object = {}) => readStream(await post(text, more));
const begin = (text: string, more: object = {}) => ask(text, { temporary: true, ...more });
const upload = async (content: string | Uint8Array<ArrayBuffer>, name: string, type = "text/plain") =>
  callApi("POST", "/api/attachments", content, {
    ...{ "content-type": type, "x-filename": name, "x-temporary": "true" },
  });

/** The application with temporary chats of its own. */
async function withChats(
  options: ConstructorParameters<typeof TemporaryChats<Deps>>[1],
  work: (temporary: TemporaryChats<Deps>) => Promise<void>,
  told: Partial<Deps> = {},
): Promise<void> {
  const base = await getDeps();
  const temporary: TemporaryChats<Deps> = new TemporaryChats(() => deps, options);
  const deps: Deps = { ...base, ...told, temporary };
  const put = (deps: Deps) =>
    Object.assign(globalThis, { [Symbol.for("meguri.deps")]: Promise.resolve(deps) });
  put(deps);
  await work(temporary).finally(() => put(base));
  await temporary.close();
}

/** Files of the data folder that hold the words. */
async function holding(words: string): Promise<string[]> {
  const { DATA_DIR } = (await getDeps()).env;
  const files = readdirSync(DATA_DIR, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return files.flatMap(({ parentPath, name }) =>
    readFileSync(join(parentPath, name)).includes(words) ? name : [],
  );
}

test("a whole chat with a file, a call, an approval, an edit and a second question reaches no file", async () => {
  const file = await (await upload(`${secret} in a file`, `${secret}.txt`)).json();
  expect(isTemporaryId(file.id)).toBe(true);
  asked = 0;
  await (await getDeps()).store.settings.set("local", "titles", "model");
  const first = await begin(secret, { message: { text: secret, attachments: [{ id: file.id }] } });
  await (await getDeps()).store.settings.set("local", "titles", "words");
  expect([first.status, isTemporaryId(first.conversationId), isTemporaryId(first.runId)]).toEqual([
    ...["completed", true, true],
  ]);
  const { conversationId } = first;
  const waiting = await ask(`/tool plain__echo {"text":"${secret}"}`, { conversationId, model: "demo/demo" });
  expect(waiting.status).toBe("waiting");
  const question = waiting.chunks.find((chunk) => chunk.type === "approval_request");
  const answered = await call("POST", `/api/runs/${waiting.runId}/answer`, {
    ...{ requestId: question?.requestId, decision: "approve" },
  });
  const went = await readStream(await callApi("GET", `/api/runs/${answered.body.runId}/stream`));
  expect(went.status).toBe("completed");
  expect(JSON.stringify(went.chunks)).toContain(secret);
  await ask(`${secret} again`, { conversationId, parentId: null });

  const detail = await call("GET", `/api/conversations/${conversationId}`);
  expect(detail.body).toMatchObject({ id: conversationId, temporary: true });
  expect(detail.body.messages[0].siblings).toHaveLength(2);
  const again = await readStream(
    await callApi("GET", `/api/runs/${first.runId}/stream`, undefined, { "last-event-id": "1" }),
  );
  expect(again.chunks).toEqual(first.chunks.slice(1));
  const sent = await callApi("GET", `/api/attachments/${file.id}`);
  expect([await sent.text(), sent.headers.get("cache-control")]).toEqual([`${secret} in a file`, "no-store"]);
  // One for each question, and none for a title.
  expect(asked).toBe(2);

  await (await getDeps()).store.probe();
  expect(await holding(secret)).toEqual([]);
  expect(await holding(conversationId)).toEqual([]);
  // The same words in a chat that is kept are found, so that the look itself is not blind.
  await ask(`${secret} that is kept`);
  expect(await holding(secret)).not.toEqual([]);
});

test("it is in no list and no search, and what only kept ones have is refused with the next step", async () => {
  const { conversationId: id, runId } = await begin("rare-word-of-this-test");
  const listed = await call("GET", "/api/conversations?limit=200");
  expect(JSON.stringify(listed.body)).not.toContain(id);
  expect((await call("GET", "/api/search?q=rare-word-of-this-test")).body.items).toEqual([]);
  const found = await call("GET", `/api/search?q=rare-word-of-this-test&conversation=${id}`);
  expect(found.body.items).toHaveLength(2);
  for (const [method, path, body] of [
    ["POST", `/api/conversations/${id}/shares`, { redact: true }],
    ["GET", `/api/conversations/${id}/export`],
    ["GET", `/api/runs/${runId}/events`],
    ["GET", `/api/export?ids=${id}`],
    ["PATCH", `/api/conversations/${id}`, { archived: true }],
    ["PATCH", `/api/conversations/${id}`, { pinned: true }],
    ["PATCH", `/api/conversations/${id}`, { projectId: null }],
    ["POST", "/api/conversations/batch", { ids: [id], action: "delete" }],
    ["POST", "/api/chat", { message: { text: "x" }, temporary: true, projectId: "p" }],
  ] as const)
    expect([path, ...(await codeOf(method, path, body))]).toEqual([path, 409, "temporary"]);
  const kept = await ask("Kept");
  expect(
    await codeOf("POST", "/api/chat", {
      message: { text: "x" },
      temporary: true,
      conversationId: kept.conversationId,
    }),
  ).toEqual([409, "temporary"]);
  expect((await call("PATCH", `/api/conversations/${id}`, { title: "Mine" })).body.title).toBe("Mine");
});

test("a file of one kind of chat cannot be used in the other", async () => {
  const file = await (await upload("abc", "a.txt")).json();
  const attachments = [{ id: file.id }];
  expect(await codeOf("POST", "/api/chat", { message: { text: "x", attachments } })).toEqual([
    404,
    "not_found",
  ]);
  const headers = { "content-type": "text/plain", "x-filename": "a.txt" };
  const stored = await (await callApi("POST", "/api/attachments", "abc", headers)).json();
  const message = { text: "x", attachments: [{ id: stored.id }] };
  expect(await codeOf("POST", "/api/chat", { message, temporary: true })).toEqual([404, "not_found"]);
  const bad = await callApi("POST", "/api/attachments", "abc", { ...headers, "x-temporary": "1" });
  expect(bad.status).toBe(400);
});

test("a PDF and an image are read without a file", async () => {
  const pdf = await upload(new Uint8Array(pdfOf(secret)), "a.pdf", "application/pdf");
  const { id } = await pdf.json();
  expect(await (await callApi("GET", `/api/attachments/${id}?as=text`)).text()).toContain(secret);
  const png = await upload(new Uint8Array(noisyPng(4)), "a.png", "image/png");
  expect((await png.json()).mimeType).toBe("image/png");
});

test("deleting it ends it finally and at once, also while an answer is on its way", async () => {
  const file = await (await upload("abc", "a.txt")).json();
  const response = await post("Hang", {
    temporary: true,
    message: { text: "Hang", attachments: [{ id: file.id }] },
  });
  const runId = response.headers.get("x-run-id") ?? "";
  const { conversationId } = (await call("GET", `/api/runs/${runId}`)).body;
  expect((await call("DELETE", `/api/conversations/${conversationId}`)).status).toBe(200);
  for (const path of [`conversations/${conversationId}`, `runs/${runId}`, `attachments/${file.id}`])
    expect(await codeOf("GET", `/api/${path}`)).toEqual([404, "temporary_ended"]);
  expect(
    await codeOf("POST", "/api/conversations/batch", { ids: [conversationId], action: "restore" }),
  ).toEqual([409, "temporary"]);
  await response.body?.cancel();
});

test("deleting everything ends them too", async () => {
  const { conversationId } = await begin("Hello");
  await upload("abc", "a.txt");
  expect((await call("POST", "/api/data/delete", { confirm: "delete everything" })).status).toBe(200);
  expect(await codeOf("GET", `/api/conversations/${conversationId}`)).toEqual([404, "temporary_ended"]);
});

test("all of them together take 20 MB; beyond it nothing is added, and what is there stays usable", async () => {
  await withChats({}, async () => {
    const { conversationId } = await begin("Hello");
    const sizes: number[] = [];
    const big = () => upload("x".repeat(390_000), "big.txt");
    let last = await big();
    for (; last.status === 201; last = await big()) sizes.push((await last.json()).size);
    expect([last.status, (await last.json()).error.code]).toEqual([507, "temporary_full"]);
    // Each is there twice, as what the model reads lies beside it.
    expect(2 * sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20 * 1024 * 1024);
    expect(sizes.length).toBeGreaterThan(18);
    while ((await upload("x".repeat(20_000), "small.txt")).status === 201);
    const more = { message: { text: "More" }, conversationId };
    expect(await codeOf("POST", "/api/chat", more)).toEqual([507, "temporary_full"]);
    expect((await call("GET", `/api/conversations/${conversationId}`)).body.messages).toHaveLength(2);
    expect((await call("DELETE", `/api/conversations/${conversationId}`)).status).toBe(200);
  });
});

test("an answer that outgrows the room ends with what there is, is stored, and can be read", async () => {
  await withChats({ maxBytes: 4 * 1024 * 1024 }, async () => {
    const { conversationId, status } = await begin("Long");
    expect(status).toBe("failed");
    const { messages, runs } = (await call("GET", `/api/conversations/${conversationId}`)).body;
    expect(runs.at(-1).error.code).toBe("temporary_full");
    expect(JSON.stringify(messages)).toContain("long answer");
    expect((await call("DELETE", `/api/conversations/${conversationId}`)).status).toBe(200);
    expect((await begin("Hello")).status).toBe("completed");
  });
});

test("it ends with the process", async () => {
  const { conversationId } = await begin("Hello");
  // As the next process has them.
  await withChats({}, async () => {
    expect(await codeOf("GET", `/api/conversations/${conversationId}`)).toEqual([404, "temporary_ended"]);
    const more = { message: { text: "More" }, conversationId };
    expect(await codeOf("POST", "/api/chat", more)).toEqual([404, "temporary_ended"]);
  });
});

test("neither a trace nor the server's log has anything of it", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  let logged = "";
  const stream = new Writable({
    write(line, _, done) {
      logged += line;
      done();
    },
  });
  const told = {
    tracing: { tracer: provider.getTracer("test"), close: () => provider.shutdown() },
    log: pino({ level: "info" }, stream),
  };
  await withChats(
    {},
    async (temporary) => {
      const { conversationId } = await begin(secret);
      expect(exporter.getFinishedSpans()).toEqual([]);
      await ask("A chat that is kept");
      expect(exporter.getFinishedSpans()).not.toEqual([]);
      const { deps } = await temporary.begin();
      deps.store.log.read = () => Promise.reject(new Error(`${secret} is not JSON`));
      const runId = (await call("GET", `/api/conversations/${conversationId}`)).body.runs[0].id;
      expect((await callApi("GET", `/api/runs/${runId}/stream`)).status).toBe(500);
    },
    told,
  );
  expect(logged).toContain("request failed");
  expect(logged).not.toContain(secret);
});

test("where several processes share a database it is refused", async () => {
  const { env } = await getDeps();
  const shared = { env: { ...env, DATABASE_URL: "postgres://x" as unknown as undefined } };
  await withChats(
    {},
    async () => {
      expect(await codeOf("POST", "/api/chat", { message: { text: "x" }, temporary: true })).toEqual([
        ...[422, "not_supported"],
      ]);
      expect((await upload("abc", "a.txt")).status).toBe(422);
    },
    shared,
  );
});

test("one that was left for an hour has ended, and one whose answer is being written has not", async () => {
  let now = Date.now();
  await withChats({ now: () => now }, async (temporary) => {
    const left = await begin("Left alone");
    const used = await begin("Used");
    const live = await post("Hang", { temporary: true });
    const liveRun = live.headers.get("x-run-id") ?? "";
    now += 59 * 60_000;
    await temporary.sweep();
    expect((await call("GET", `/api/conversations/${used.conversationId}`)).status).toBe(200);
    now += 2 * 60_000;
    // Also before somebody has looked for what was left.
    expect(await codeOf("GET", `/api/conversations/${left.conversationId}`)).toEqual([
      404,
      "temporary_ended",
    ]);
    now += 50 * 60_000;
    await temporary.sweep();
    expect(await codeOf("GET", `/api/runs/${left.runId}`)).toEqual([404, "temporary_ended"]);
    expect((await call("GET", `/api/conversations/${used.conversationId}`)).status).toBe(200);
    expect((await call("GET", `/api/runs/${liveRun}`)).body.status).toBe("running");
    await call("POST", `/api/runs/${liveRun}/stop`, {});
    await live.body?.cancel();
    now += 120 * 60_000;
    await temporary.sweep();
    expect(await codeOf("GET", `/api/runs/${liveRun}`)).toEqual([404, "temporary_ended"]);
  });
});
