import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ModelRequest } from "@/lib/protocol/http";
import type { ChatMessage } from "@/lib/protocol/message";
import { callTools, fail, say } from "@/lib/providers/testing/steps";
import { restorableMs } from "@/lib/server/conversations/delete-conversation";
import { purgeDeleted } from "@/lib/server/conversations/purge";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser, newIdLike } from "@/lib/server/ids";
import { hashContent } from "@/lib/server/loop/sent-requests";
import { countRows } from "@/lib/server/testing/stored-rows";
import { callApi, readStream } from "./testing/call-api";
import {
  answer,
  ask,
  folder,
  follow,
  forked,
  list,
  model,
  run,
  script,
  seqOf,
  twoCalls,
  write,
} from "./testing/fork";
import { restart } from "./testing/go-on";

// Of a result without words adapters tell in their own.
beforeAll(() => writeFile(join(folder, "seen.txt"), "x"));

interface WireBody {
  messages: { role: string; content?: unknown; tool_calls?: { function: { name: string } }[] }[];
  tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[];
}

const get = (runId: string, index: number | string) => callApi("GET", `/api/runs/${runId}/requests/${index}`);
const read = async (runId: string, index: number): Promise<ModelRequest> => {
  const response = await get(runId, index);
  expect(response.status).toBe(200);
  return response.json();
};
/** What the model's server received, the newest request last. */
const wire = (at: number): WireBody => model.requests.at(at)?.body as unknown as WireBody;

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : ((content ?? []) as { text?: string }[]).map(({ text = "" }) => text).join("");

function lineOf(message: ChatMessage): string[] {
  switch (message.role) {
    case "user":
      return [`user ${textOf(message.parts)}`];
    case "assistant": {
      const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? part.name : []));
      const words = message.parts.flatMap((part) => (part.type === "text" ? part : []));
      return [`assistant ${textOf(words)} ${calls.join()}`];
    }
    case "tool":
      return message.results.map(({ content }) => `tool ${textOf(content)}`);
    case "summary":
      return [`summary ${message.text}`];
  }
}

const wireLine = ({ role, content, tool_calls = [] }: WireBody["messages"][number]): string =>
  role === "assistant"
    ? `assistant ${textOf(content)} ${tool_calls.map(({ function: { name } }) => name).join()}`
    : `${role} ${textOf(content)}`;

/** What the API tells of a turn is what the model's server received. */
function expectSame(told: ModelRequest, { messages, tools = [] }: WireBody): void {
  const [system, ...others] = messages;
  expect(told.system).toBe(textOf(system?.content));
  expect(told.messages?.flatMap(lineOf)).toEqual(others.map(wireLine));
  expect(told.tools?.map(({ name }) => name)).toEqual(tools.map(({ function: { name } }) => name));
  expect(told.tools?.map(({ description }) => description)).toEqual(
    tools.map(({ function: { description } }) => description),
  );
  for (const [at, { inputSchema }] of (told.tools ?? []).entries())
    expect(inputSchema.properties).toEqual(tools[at]?.function.parameters.properties);
}

/** Rows of contents, and of runs that name one. */
const countBoth = async (): Promise<[contents: number, names: number]> => [
  await countRows("request_content"),
  await countRows("run_content"),
];

describe("a request is told as the model's server received it", () => {
  test("in each of two turns, and after a restart", async () => {
    const first = await twoCalls();
    const sent = [wire(-2), wire(-1)] as const;
    const check = async () => {
      const [one, two] = [await read(first.runId, 1), await read(first.runId, 2)];
      expectSame(one, sent[0]);
      expectSame(two, sent[1]);
      expect(two.messages?.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
      expect(one).toMatchObject({ model: "openai/test", params: {} });
      expect(two.estimatedTokens).toBeGreaterThan(one.estimatedTokens ?? 0);
      return [one, two];
    };
    const before = await check();
    await restart();
    expect(await check()).toEqual(before);
  });

  test("of a fork, with what it asks for itself", async () => {
    const first = await twoCalls();
    const second = await forked(
      first.runId,
      { afterSeq: seqOf(first.chunks, "tool_result", 2) },
      [callTools(list("."))],
      [say("Again.")],
    );
    expectSame(await read(second.runId, 1), wire(-2));
    expectSame(await read(second.runId, 2), wire(-1));
  });

  test("of a run that goes on after an approval, and of the one that waited", async () => {
    const first = await ask([say("I write."), callTools(write)]);
    const asked = wire(-1);
    script.turns = [[callTools(list("."))], [say("Written.")]];
    const next = await follow(await answer(first.runId, "approve"));
    expectSame(await read(first.runId, 1), asked);
    expectSame(await read(next.runId, 1), wire(-2));
    expectSame(await read(next.runId, 2), wire(-1));
  });

  test("with its parameters, and with the schema that its answer fits", async () => {
    const responseSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    script.turns = [[say('{"n":1}')]];
    const { runId } = await readStream(
      await callApi("POST", "/api/chat", {
        model: "openai/test",
        message: { text: "A number." },
        servers: [],
        options: { temperature: 0.5, maxOutputTokens: 900, responseSchema },
      }),
    );
    const told = await read(runId, 1);
    expectSame(told, wire(-1));
    expect(told).toMatchObject({
      tools: [],
      params: { temperature: 0.5, maxOutputTokens: 900, responseSchema },
    });
  });
});

test("each content is stored once for many runs, and goes with the last one that names it", async () => {
  const instructions = `Be brief. ${crypto.randomUUID()}`;
  const asks = async (conversationId?: string, told = instructions) => {
    script.turns = [[say("Yes.")]];
    const message = { text: "And?" };
    const body = {
      model: "openai/test",
      message,
      instructions: told,
      ...(conversationId && { conversationId }),
    };
    return readStream(await callApi("POST", "/api/chat", body));
  };
  // The tools are those that a run before them had.
  await asks(undefined, "Be long.");
  const before = await countBoth();
  const first = await asks();
  await asks(first.conversationId);
  const other = await asks();
  // All three have the same instructions.
  expect(await countBoth()).toEqual([before[0] + 1, before[1] + 6]);
  expect((await read(other.runId, 1)).system).toContain(instructions);

  const remove = async (id: string) => {
    await callApi("DELETE", `/api/conversations/${id}`);
    const aDayLater = { isClosed: () => false, now: Date.now() + 2 * restorableMs };
    expect(await purgeDeleted(await getDeps(), aDayLater)).toBe(1);
  };
  await remove(first.conversationId);
  expect(await countBoth()).toEqual([before[0] + 1, before[1] + 2]);
  expect((await read(other.runId, 1)).system).toContain(instructions);
  await remove(other.conversationId);
  expect(await countBoth()).toEqual(before);
});

test("what a temporary chat sends is told, and reaches no disk", async () => {
  const before = await countBoth();
  const first = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message: { text: "Hush" }, temporary: true }),
  );
  expectSame(await read(first.runId, 1), wire(-1));
  expect(await countBoth()).toEqual(before);
});

/** Deletes a conversation for good, and imports it from this file. */
async function bringBack(conversationId: string, file: string): Promise<void> {
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  const aDayLater = { isClosed: () => false, now: Date.now() + 2 * restorableMs };
  expect(await purgeDeleted(await getDeps(), aDayLater)).toBe(1);
  const response = await callApi("POST", "/api/conversations/import", file, {
    "content-type": "application/json",
  });
  expect(await response.json()).toMatchObject({ imported: 1, conversationIds: [conversationId] });
}

test("an export holds each content once, and its import tells the same; what is not what its name says is left out", async () => {
  const first = await twoCalls();
  const message = { text: "And?" };
  script.turns = [[say("Yes.")]];
  const { conversationId } = first;
  const next = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message, conversationId }),
  );
  const runs = [first.runId, next.runId];
  const told = await Promise.all(runs.map((id) => read(id, 1)));
  const file = await (await callApi("GET", `/api/conversations/${conversationId}/export?format=json`)).text();
  expect(file.split('"contents":')).toHaveLength(2);
  const bring = async (text: string) => {
    await bringBack(conversationId, text);
    return Promise.all(runs.map((id) => read(id, 1)));
  };
  expect(await bring(file)).toEqual(told);
  const forged = await bring(file.replaceAll("You are the assistant in Meguri", "You are somebody else"));
  expect(forged).toMatchObject(told.map(({ tools }) => ({ system: null, tools })));
  // Under their own hashes, but longer or deeper than a run of ours would keep.
  const long = "x".repeat(1_000_001);
  const deep = `[{"name":"a","description":"","inputSchema":${'{"a":'.repeat(5_000)}1${"}".repeat(5_001)}]`;
  const sent = { system: hashContent(long), tools: hashContent(deep) };
  const grown = JSON.stringify(JSON.parse(file), (key, value) => {
    if (key !== "data" || value?.type !== "request") return value;
    return { ...value, ...sent, contents: { [sent.system]: long, [sent.tools]: deep } };
  });
  expect(await bring(grown)).toMatchObject([
    { system: null, tools: null },
    { system: null, tools: null },
  ]);
});

test("of an import a run keeps as much as one of ours", async () => {
  const calls = Array.from({ length: 5 }, (_, at) => [callTools(list(`${at}`))]);
  const { runId, conversationId } = await ask(...calls, [say("Yes.")]);
  const file = await (await callApi("GET", `/api/conversations/${conversationId}/export?format=json`)).text();
  let turn = 0;
  const grown = JSON.stringify(JSON.parse(file), (key, value) => {
    if (key !== "data" || value?.type !== "request") return value;
    const long = `${turn++}`.repeat(900_000);
    return { ...value, system: hashContent(long), contents: { [hashContent(long)]: long } };
  });
  await bringBack(conversationId, grown);
  const systems = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (index) => (await read(runId, index)).system),
  );
  expect(systems.map((system) => system?.length ?? null)).toEqual([
    900_000,
    900_000,
    900_000,
    900_000,
    null,
    null,
  ]);
});

test("results that were shortened to make room are told as the model read them", async () => {
  await writeFile(join(folder, "long.txt"), "Some words of a long file.\n".repeat(1_500));
  await callApi("PATCH", "/api/settings", { models: { "openai/test": { contextWindow: 16_000 } } });
  const readLong = callTools({
    name: "filesystem__read_text_file",
    args: { path: join(folder, "long.txt") },
  });
  const first = await ask([readLong], [readLong], [say("Long.")]);
  await callApi("PATCH", "/api/settings", { models: { "openai/test": null } });
  const told = await read(first.runId, 3);
  expectSame(told, wire(-1));
  expect(told.messages?.flatMap(lineOf).join()).toContain("was left out to make room");
  expect(told.tools?.map(({ name }) => name)).toContain("meguri__read_result");
});

test("a request that was refused as too long is told as it was sent the second time", async () => {
  await writeFile(join(folder, "long.txt"), "Some words of a long file.\n".repeat(1_500));
  const readLong = callTools({
    name: "filesystem__read_text_file",
    args: { path: join(folder, "long.txt") },
  });
  const tooLong = fail(400, "This model's maximum context length is 8192 tokens.");
  // What is refused counts as no turn: the model is asked again with less.
  const first = await ask([readLong], [readLong], [tooLong], [say("Long.")]);
  expect((await run(first.runId)).iterations).toHaveLength(3);
  const [refused, told] = [wire(-2), await read(first.runId, 3)];
  expect(refused.messages).toHaveLength(wire(-1).messages.length);
  expectSame(told, wire(-1));
  expect(told.messages?.flatMap(lineOf).join()).toContain("was left out to make room");
});

test("a run that goes on holds what its turns name, not what they were sent", async () => {
  const marker = `canary-${crypto.randomUUID()}`;
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  script.turns = [[callTools(list("."))], [{ type: "until", done }, say("Done.")]];
  const message = { text: "Look" };
  const response = await callApi("POST", "/api/chat", {
    model: "openai/test",
    message,
    instructions: marker,
  });
  const chat = readStream(response);
  const { runs } = await getDeps();
  const requests = await vi.waitFor(() => {
    const told = runs.all().flatMap(({ chunks }) => chunks.filter(({ type }) => type === "request"));
    expect(told).toHaveLength(2);
    return told;
  });
  expect(requests[0]).toMatchObject({ system: expect.any(String), tools: expect.any(String) });
  expect(JSON.stringify(requests)).not.toContain(marker);
  end();
  expect((await read((await chat).runId, 1)).system).toContain(marker);
});

test("browsers, strangers and readers of the log get nothing of it", async () => {
  const marker = `canary-${crypto.randomUUID()}`;
  script.turns = [[callTools(list("."))], [say("Done.")]];
  const body = { model: "openai/test", message: { text: "Look" }, instructions: marker };
  const chat = await readStream(await callApi("POST", "/api/chat", body));
  expect(chat.chunks.filter(({ type }) => type === "request")).toEqual(
    [1, 2].map(() => ({
      type: "request",
      system: null,
      tools: null,
      params: {},
      at: expect.any(Number),
      id: expect.any(Number),
    })),
  );
  const events = await (await callApi("GET", `/api/runs/${chat.runId}/events`)).text();
  const share = await (
    await callApi("POST", `/api/conversations/${chat.conversationId}/shares`, { dryRun: true })
  ).text();
  const { system } = await read(chat.runId, 1);
  expect(system).toContain(marker);
  for (const told of [JSON.stringify(chat.chunks), events, share]) expect(told).not.toContain(marker);
  expect(share).not.toContain('"request"');
});

test("a run from before has its messages alone", async () => {
  const first = await twoCalls();
  const { store } = await getDeps();
  const log = await store.log.read(first.runId, 0, 1_000);
  const old = log
    .filter(({ data }) => data.type !== "request")
    .map((event, at) => ({ ...event, seq: at + 1 }));
  const row = await store.runs.get(localUser, first.runId);
  if (!row) throw new Error("There is no such run.");
  const id = newIdLike(row.conversationId);
  await store.runs.create({ ...row, id, status: "running", endedAt: null, result: null });
  await store.log.append(id, old, true);
  await store.runs.transition(id, "running", "interrupted");
  const told = await read(id, 2);
  expect(told).toMatchObject({ system: null, tools: null, params: null, model: "openai/test" });
  expect(told.messages).toEqual((await read(first.runId, 2)).messages);
});

test("a turn or a run that is not there is named", async () => {
  const { runId } = await twoCalls();
  const refused = async (id: string, index: string) => {
    const response = await get(id, index);
    const { error } = await response.json();
    return [response.status, error.code, error.message];
  };
  for (const index of ["0", "-1", "1.5", "two"])
    expect(await refused(runId, index)).toEqual([
      400,
      "invalid_input",
      "index: must be the number of a turn, counted from 1.",
    ]);
  expect(await refused(runId, "3")).toEqual([
    404,
    "not_found",
    "index: the run has no such turn; GET /api/runs/:id lists its turns.",
  ]);
  expect(await refused(crypto.randomUUID(), "1")).toEqual([404, "not_found", "There is no such run."]);
  expect((await run(runId)).iterations).toHaveLength(2);
});
