import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isRunFile } from "@/lib/client/transfer/run-file";
import type { RunFileHeader } from "@/lib/protocol/run-file";
import { callTools, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { callApi } from "./testing/call-api";
import { ask, chat, detail, folder, forked, list, run, script, twoCalls, write } from "./testing/fork";

await writeFile(join(folder, "seen.txt"), "x");

const type = "application/x-ndjson";
const exported = async (runId: string) => {
  const response = await callApi("GET", `/api/runs/${runId}/export`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, `${type}; charset=utf-8`]);
  return response.text();
};
const send = async (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Record<string, string> = {},
) => {
  const response = await callApi("POST", "/api/runs/import", body, { "content-type": type, ...headers });
  return { status: response.status, body: await response.json() };
};
const imported = async (file: string) => {
  const { status, body } = await send(file);
  expect([status, body.error]).toEqual([201, undefined]);
  return body as { runId: string; conversationId: string };
};
const linesOf = (file: string): string[] => file.trimEnd().split("\n");
const headOf = (file: string): RunFileHeader => JSON.parse(linesOf(file)[0] ?? "");
/** The file with its lines changed as JSON. */
const changed = (file: string, change: (lines: { [key: string]: unknown }[]) => void): string => {
  const lines = linesOf(file).map((line) => JSON.parse(line));
  change(lines);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
};
/** As if it had never been here. */
const forget = async (id: string) => (await getDeps()).store.conversations.delete(id);
const counts = async () => {
  const { store } = await getDeps();
  const { items } = await store.runs.list(localUser, { limit: 200 });
  return [items.length, (await store.conversations.count(localUser)).listed];
};
const answerOf = async (id: string) =>
  (await detail(id)).messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));

test("a run leaves as a header and its events, with what the model was sent once, and comes back as it was", async () => {
  const first = await twoCalls();
  const file = await exported(first.runId);
  const [, ...events] = linesOf(file).map((line) => JSON.parse(line));
  const head = headOf(file);
  expect(head).toMatchObject({
    ...{ meguri: "run", version: 1, app: expect.stringMatching(/^\d/), events: events.length },
    conversation: { id: first.conversationId, title: "Look" },
    run: { id: first.runId, model: "openai/test", messageId: first.messageId, parentId: first.messageId },
    history: [{ id: first.messageId, parentId: null, message: { role: "user" } }],
  });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)?.data.type).toBe("result");
  const contents = events.flatMap(({ data }) => Object.values(data.contents ?? {}) as string[]);
  expect(contents.some((body) => body.includes("list_directory"))).toBe(true);
  expect(new Set(contents).size).toBe(contents.length);
  expect(await exported(first.runId)).toBe(file);
  // By which the page tells it from the file of a conversation.
  const other = await (await callApi("GET", `/api/conversations/${first.conversationId}/export`)).text();
  expect([
    await isRunFile(new File([file], "a.json")),
    await isRunFile(new File([other], "b.ndjson")),
  ]).toEqual([true, false]);

  const before = await run(first.runId);
  const request = await (await callApi("GET", `/api/runs/${first.runId}/requests/2`)).json();
  const words = await answerOf(first.conversationId);
  await forget(first.conversationId);
  const there = await imported(file);
  expect(there.runId).toBe(first.runId);
  expect(there.conversationId).not.toBe(first.conversationId);
  const now = await run(there.runId);
  const { conversationId: _, answerId: _answer, usage, ...rest } = before;
  expect(now).toMatchObject({ ...rest, usage: { inputTokens: usage.inputTokens } });
  expect(await (await callApi("GET", `/api/runs/${there.runId}/requests/2`)).json()).toEqual(request);
  expect(await answerOf(there.conversationId)).toEqual(words);
  expect((await detail(there.conversationId)).readOnly).toBe(true);
  // It goes on as the same bytes, but for the conversation that it is in.
  const again = await exported(there.runId);
  expect(linesOf(again).slice(1)).toEqual(linesOf(file).slice(1));

  const twice = await send(file);
  expect([twice.status, twice.body]).toEqual([200, there]);
});

test("a run that is here already comes under another id, and one that waits has ended", async () => {
  const waits = await ask([say("May I?"), callTools(write)]);
  const there = await imported(await exported(waits.runId));
  expect(there.runId).not.toBe(waits.runId);
  expect(await run(there.runId)).toMatchObject({ status: "interrupted", pending: [] });
  expect((await run(waits.runId)).status).toBe("waiting");
  const results = (await detail(there.conversationId)).messages.flatMap((message) =>
    message.role === "tool" ? message.results : [],
  );
  expect(results).toMatchObject([{ status: "error", reason: "cut_short" }]);
});

describe("what came as a run", () => {
  test("takes no question, and a fork of it is a conversation that names its origin and is named there", async () => {
    const before = await ask([say("First.")]);
    script.turns = [[callTools(list("."))], [say("There is one.")]];
    const second = await chat({ conversationId: before.conversationId, message: { text: "And now?" } });
    await second.text();
    const runId = second.headers.get("x-run-id") ?? "";
    const there = await imported(await exported(runId));
    const { conversationId } = there;
    expect((await run(there.runId)).readOnly).toBe(true);
    expect((await run(runId)).readOnly).toBeUndefined();
    const { messages } = await detail(conversationId);
    const refusals = [
      await chat({ conversationId, message: { text: "Go on" } }),
      await chat({ conversationId, regenerate: messages.at(-1)?.id }),
      await callApi("POST", `/api/runs/${there.runId}/resume`, {}),
      await callApi("POST", `/api/runs/${there.runId}/rerun`, { tape: "strict" }),
      // biome-ignore lint/suspicious/noThenProperty: the name in the API; it is never a function.
      await callApi("POST", `/api/runs/${there.runId}/stop`, { then: { text: "x", clientMessageId: "rf" } }),
      await callApi("POST", `/api/conversations/${conversationId}/messages`, {
        edits: messages.at(-1)?.id,
        text: "Other words",
      }),
    ];
    for (const response of refusals)
      expect([response.status, (await response.json()).error.code]).toEqual([409, "read_only"]);
    expect((await detail(conversationId)).messages).toEqual(messages);

    const log = linesOf(await exported(there.runId))
      .slice(1)
      .map((line) => JSON.parse(line));
    const seq = log.find(({ data }) => data.type === "usage")?.seq;
    const fork = await forked(there.runId, { afterSeq: seq }, [say("Only one, again.")]);
    expect(fork.conversationId).not.toBe(conversationId);
    const normal = await detail(fork.conversationId);
    expect(normal.readOnly).toBeUndefined();
    expect(normal.messages.map(({ role }) => role).join(" ")).toBe(
      "user assistant user assistant tool assistant",
    );
    expect(await run(fork.runId)).toMatchObject({ forkedFrom: { runId: there.runId, seq, edit: null } });
    expect((await run(there.runId)).forks).toEqual([{ runId: fork.runId, seq }]);
    script.turns = [[say("Yes.")]];
    const next = await chat({ conversationId: fork.conversationId, message: { text: "Sure?" } });
    expect(next.status).toBe(200);
    await next.text();
    await callApi("DELETE", `/api/conversations/${fork.conversationId}`);
    expect((await run(there.runId)).forks).toEqual([]);
  });
});

test("a file does not say that something is recorded here", async () => {
  const first = await ask([say("Done.")]);
  const file = changed(await exported(first.runId), ([head]) => {
    const { options } = (head as unknown as RunFileHeader).run;
    Object.assign(options, { recordWire: true });
  });
  const there = await imported(file);
  const log = linesOf(file).map((line) => JSON.parse(line));
  const seq = log.find(({ data }) => data?.type === "usage")?.seq;
  const fork = await forked(there.runId, { afterSeq: seq, edit: { text: "Do" } }, [say("Again.")]);
  const stored = await (await getDeps()).store.runs.get(localUser, fork.runId);
  expect(stored?.options).not.toHaveProperty("recordWire");
});

describe("a file that is no whole run is refused by name, and nothing is stored", () => {
  let file = "";
  beforeAll(async () => {
    const first = await ask([say("Grüße"), callTools(list("."))], [say("Done.")]);
    file = await exported(first.runId);
  });
  const bytes = (text: string) => new TextEncoder().encode(text);
  const at = (index: number) => linesOf(file)[index] ?? "";
  type Lines = { [key: string]: unknown }[];
  const cases: [string, () => string | Uint8Array<ArrayBuffer>, string, string?][] = [
    ["nothing", () => "", "invalid_file"],
    ["no JSON", () => "hello\n", "invalid_file", "line 1"],
    ["another file", () => '{"meguri":"conversation","version":1}\n', "invalid_file", "line 1"],
    ["cut between two lines", () => file.split("\n").slice(0, 4).join("\n"), "cut_file", "after event 3 of"],
    ["cut in a line", () => file.slice(0, -15), "cut_file", "in the middle of a line"],
    [
      "cut in a letter",
      () => bytes(file).slice(0, bytes(`${file.split("Grüße")[0]}Gr`).length + 1),
      "cut_file",
    ],
    ["no UTF-8", () => Uint8Array.of(0x7b, 0xff, 0x0a), "invalid_file", "UTF-8"],
    [
      "of a newer version",
      () => changed(file, ([head]) => Object.assign(head ?? {}, { version: 2 })),
      "newer_version",
    ],
    [
      "with a foreign event",
      () => changed(file, (lines) => Object.assign(lines[2] ?? {}, { data: { type: "party" } })),
      "unknown_event",
      "line 3",
    ],
    [
      "with a gap",
      () => changed(file, (lines: Lines) => lines.splice(3, 1)),
      "invalid_file",
      "line 4: seq: must be 3",
    ],
    [
      "with an event twice",
      () => changed(file, (lines) => lines.splice(3, 0, lines[2] ?? {})),
      "invalid_file",
      "line 4",
    ],
    ["with a line too many", () => `${file}${at(1)}\n`, "invalid_file", "events"],
    [
      "with a field of nobody",
      () => changed(file, (lines) => Object.assign(lines[1] ?? {}, { more: 1 })),
      "invalid_file",
    ],
    [
      "deep",
      () => file.replace('"options":{', `"deep":${"[".repeat(5_000)}${"]".repeat(5_000)},"options":{`),
      "invalid_file",
      "deep",
    ],
    [
      "with __proto__",
      () => file.replace('{"meguri"', '{"__proto__":{"x":1},"meguri"'),
      "invalid_file",
      "__proto__",
    ],
    [
      "with a history that has a gap",
      () =>
        changed(file, ([head]) =>
          Object.assign(head ?? {}, { history: [{ ...headOf(file).history[0], parentId: "other" }] }),
        ),
      "invalid_file",
      "history.0.parentId",
    ],
    [
      "without its question",
      () => changed(file, ([head]) => Object.assign(head ?? {}, { history: [] })),
      "invalid_file",
    ],
  ];
  test.for(cases)("%s", async ([_, body, code, words = ""]) => {
    const before = await counts();
    const answer = await send(body());
    expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
    expect(answer.body.error.message).toContain(words);
    expect(await counts()).toEqual(before);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("too large, at once where its length is told, and as soon as it is sent else", async () => {
    const before = await counts();
    const told = await send("x", { "content-length": String(500 * 1024 * 1024) });
    expect([told.status, told.body.error?.code]).toEqual([413, "body_too_large"]);
    const piece = new Uint8Array(1024 * 1024).fill(0x20);
    let pieces = 0;
    const endless = new ReadableStream({
      pull(controller) {
        if (++pieces > 500) controller.close();
        else controller.enqueue(piece);
      },
    });
    const sent = await send(endless);
    expect([sent.status, sent.body.error?.code]).toEqual([413, "body_too_large"]);
    expect(pieces).toBeLessThan(250);
    expect(await counts()).toEqual(before);
  });

  test("as a form of another page could send it", async () => {
    const answer = await send(file, { "content-type": "text/plain" });
    expect([answer.status, answer.body.error?.code]).toEqual([415, "unsupported_media_type"]);
  });

  test("and arguments may have any names", async () => {
    const odd = file.replaceAll('"args":{', '"args":{"__proto__":{"polluted":true},');
    expect(await imported(odd)).toBeDefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test("a run of a temporary chat is not exported", async () => {
  script.turns = [[say("Psst.")]];
  const response = await chat({ message: { text: "Secret" }, temporary: true });
  await response.text();
  const answer = await callApi("GET", `/api/runs/${response.headers.get("x-run-id")}/export`);
  expect([answer.status, (await answer.json()).error.code]).toEqual([409, "temporary"]);
});
