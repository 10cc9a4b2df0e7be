import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { TemporaryChats } from "@/lib/server/entry/temporary-chats";
import { localUser } from "@/lib/server/ids";
import { callApi, withApplication } from "./testing/call-api";
import { ask, begin, call, codeOf, post, upload, withChats } from "./testing/temporary";

const secret = "words-that-reach-no-log";
const model = await startOpenAiServer(({ lastUserText }) => {
  if (lastUserText === "Long") return [say("A long answer. ".repeat(300_000), { pieces: 400 })];
  return lastUserText.startsWith("Hang") ? [say("Thinking "), hang] : [say(`I heard ${lastUserText}.`)];
});
afterAll(() => model.close());
withApplication({}, { OPENAI_BASE_URL: model.url });

/** A log whose lines the test reads. */
function keptLog() {
  const lines: string[] = [];
  return { log: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }), lines };
}

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
  const { log, lines } = keptLog();
  const told = {
    tracing: {
      ...{ tracer: provider.getTracer("test"), close: () => provider.shutdown() },
      within: <Value>(_: unknown, work: () => Value) => work(),
      caller: () => undefined,
    },
    log,
  };
  await withChats(
    {},
    async (temporary) => {
      const { conversationId } = await begin(secret);
      expect(exporter.getFinishedSpans()).toEqual([]);
      await ask("A chat that is kept");
      expect(exporter.getFinishedSpans()).not.toEqual([]);
      const { deps } = await temporary.begin(localUser);
      deps.store.log.read = () => Promise.reject(new Error(`${secret} is not JSON`));
      const runId = (await call("GET", `/api/conversations/${conversationId}`)).body.runs[0].id;
      expect((await callApi("GET", `/api/runs/${runId}/stream`)).status).toBe(500);
    },
    told,
  );
  expect(lines.join("")).toContain("request failed");
  expect(lines.join("")).not.toContain(secret);
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

test("one that cannot be ended is logged, keeps no other from ending, and ends the next time", async () => {
  let now = Date.now();
  const { log, lines } = keptLog();
  const failures = () => lines.filter((line) => line.includes("not all temporary chats")).length;
  await withChats(
    { now: () => now },
    async (temporary) => {
      const chats = [await begin("One"), await begin("Two"), await begin("Three")];
      const { deps } = await temporary.begin(localUser);
      const there = async () => (await deps.store.outlines.all(localUser)).map(({ id }) => id);
      const { hide } = deps.store.conversations;
      const stuck = (await there())[0];
      deps.store.conversations.hide = async (id, at) => {
        if (id === stuck) throw new Error(secret);
        return hide(id, at);
      };
      now += 61 * 60_000;
      await temporary.sweep();
      expect([chats.length, await there(), failures()]).toEqual([3, [stuck], 1]);
      expect(lines.join("")).not.toContain(secret);
      deps.store.conversations.hide = hide;
      await temporary.sweep();
      expect([await there(), failures()]).toEqual([[], 1]);
    },
    { log },
  );
});

test("what they run on is opened again where it could not be the first time", async () => {
  const deps = await getDeps();
  let isBroken = true;
  const temporary = new TemporaryChats(() => {
    if (isBroken) throw new Error("No memory.");
    return deps;
  });
  await expect(temporary.begin(localUser)).rejects.toThrow("No memory.");
  await temporary.sweep();
  isBroken = false;
  expect((await temporary.begin(localUser)).room).toBeDefined();
  await temporary.close();
});
