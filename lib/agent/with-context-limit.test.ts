import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { tokensOf } from "@/lib/protocol/count-tokens";
import { modelHistory } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { ProviderError, type ToolBox } from "./ports";
import {
  asks,
  assertAccepted,
  call,
  ok,
  run,
  scriptedProvider,
  stop,
  text,
  toolCall,
  user,
} from "./testing/scripted";
import { readResultTool } from "./trim-results";
import { withContextLimit } from "./with-context-limit";
import { ResultArchive, withResultReader } from "./with-result-reader";

const long = (mark: string, words = 1_000) => `${mark} ${"word ".repeat(words)}`;

/** A round that was answered with a long text. */
const round = (id: string, words?: number): ChatMessage[] => [
  { role: "assistant", parts: [toolCall(id)] },
  { role: "tool", results: [ok(id as ToolCallId, long(`<${id}>`, words))] },
];
const done = [text("Done."), stop("end_turn")];

/** What the model read of the call's result. */
function readOf(history: readonly ChatMessage[], id: string): string | undefined {
  for (const message of modelHistory(history))
    if (message.role === "tool")
      for (const result of message.results)
        if (result.id === id)
          return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return undefined;
}

function limited(window: number | undefined, ...script: Parameters<typeof scriptedProvider>) {
  const provider = scriptedProvider(...script);
  const archive = new ResultArchive();
  return { provider, archive, wrapped: withContextLimit(provider, { window, archive }) };
}

test("a turn that fits goes as it is, as the same messages", async () => {
  const { provider, wrapped } = limited(100_000, done);
  const history = [...asks, ...round("a")];
  await run({ provider: wrapped, history });
  expect(provider.turns[0]?.history.every((message, at) => message === history[at])).toBe(true);
});

test("old results give way to stand-ins, oldest first, and the newest round stays", async () => {
  const { provider, wrapped } = limited(5_000, done);
  const history = [...asks, ...round("a"), ...round("b"), ...round("c"), ...round("d")];
  const { kinds, log, result } = await run({ provider: wrapped, history });
  expect(kinds).toBe("iteration notice text usage result");
  expect(log[1]).toMatchObject({
    kind: "compaction",
    message: expect.stringMatching(/^An earlier tool result was shortened/),
  });
  const sent = provider.turns[0]?.history ?? [];
  expect(readOf(sent, "a")).toMatch(/^\[This result was left out to make room\. It began: <a> word/);
  expect(
    [readOf(sent, "b"), readOf(sent, "c"), readOf(sent, "d")].every((read) => read?.includes("word word")),
  ).toBe(true);
  // What is stored is not touched.
  expect(readOf(history, "a")).toContain(long("<a>"));
  expect(result.historyDelta).toHaveLength(1);
});

test("a stand-in is read again with the built-in tool, page by page", async () => {
  const reads = (id: string, offset: number) => [
    call(`r${offset}`, readResultTool, { id, ...(offset && { offset }) }),
    stop("tool_use"),
  ];
  const { provider, archive, wrapped } = limited(8_000, reads("a", 0), reads("a", 8_000), done);
  const none: ToolBox = { list: () => [], call: () => Promise.reject(new Error("It must not come here.")) };
  const history = [...asks, ...round("a", 2_000), ...round("b", 2_000), ...round("c", 2_000)];
  const { log, result } = await run({ provider: wrapped, tools: withResultReader(none, archive), history });
  expect(provider.turns[0]?.tools.map(({ name }) => name)).toEqual([readResultTool]);
  const pages = log.flatMap((chunk) => (chunk.type === "tool_result" ? [chunk.result] : []));
  expect(pages.map(({ status }) => status)).toEqual(["ok", "ok"]);
  const read = pages
    .map(({ content: [part] }) => (part?.type === "text" ? part.text.replace(/\n\[.*$/, "") : ""))
    .join("");
  expect(read).toBe(long("<a>", 2_000));
  expect(result.stopReason).toBe("end_turn");
});

test("when stand-ins are not enough the oldest messages are summarised, and the summary is kept", async () => {
  const said = (at: number): ChatMessage[] => [
    user(long(`Question ${at}`, 500)),
    { role: "assistant", parts: [{ type: "text", text: long(`Answer ${at}`, 500) }] },
  ];
  const history = [...[1, 2, 3, 4, 5].flatMap(said), user("And now?")];
  const { provider, wrapped } = limited(4_000, [text("They talked."), stop("end_turn")], done);
  const { kinds, result } = await run({ provider: wrapped, history });
  expect(kinds).toBe("iteration usage message text usage result");
  expect(provider.turns[0]).toMatchObject({ tools: [], system: expect.stringContaining("notes") });
  const [summary] = result.historyDelta;
  expect(summary).toMatchObject({ role: "summary", text: "They talked." });
  const sent = modelHistory(provider.turns[1]?.history ?? []);
  expect(sent[0]).toMatchObject({ role: "user", parts: [{ text: expect.stringContaining("They talked.") }] });
  expect(sent.at(-1)).toEqual(user("And now?"));
  assertAccepted(sent);
  // The next turn reads the same from what is stored.
  const stored = modelHistory([...history, ...result.historyDelta]);
  expect(stored.slice(0, sent.length)).toEqual(sent);
  expect(result.usage).toEqual({ inputTokens: 2, outputTokens: 2 });
});

test("a summary and what is kept beside it lose no message, and a call stays with its result", async () => {
  // Rounds of very different length, so that the room that is left ends everywhere in turn.
  for (const words of [40, 130, 260, 390, 520, 650, 780]) {
    const rounds = [1, 2, 3, 4, 5, 6].flatMap((at): ChatMessage[] => [
      user(long(`<question ${at}>`, words)),
      {
        role: "assistant",
        parts: [{ type: "text", text: long(`<thought ${at}>`, 120) }, toolCall(`call_${at}`)],
      },
      { role: "tool", results: [ok(`call_${at}` as ToolCallId, `<result ${at}> ${"word ".repeat(60)}`)] },
      { role: "assistant", parts: [{ type: "text", text: `<answer ${at}> ${"word ".repeat(words)}` }] },
    ]);
    const history = [...rounds, user("And now?")];
    const { provider, wrapped } = limited(2_000, [text("They talked."), stop("end_turn")], done);
    const { result } = await run({ provider: wrapped, history });
    const [summary] = result.historyDelta;
    if (summary?.role !== "summary") {
      expect(provider.turns, `${words} words`).toHaveLength(1);
      continue;
    }
    const [written, sent] = [provider.turns[0]?.history ?? [], provider.turns[1]?.history ?? []];
    const [, ...keptMessages] = sent;
    expect(["user", "assistant"], `${words} words`).toContain(keptMessages[0]?.role);
    expect(keptMessages).toEqual(history.slice(-keptMessages.length));
    expect(summary.keep, `${words} words`).toBe(keptMessages.length);
    const covered = JSON.stringify(written);
    const left = JSON.stringify(keptMessages);
    const last = history.length - keptMessages.length - 1;
    // The newest that is not kept is in the notes, the oldest that is kept is not.
    const markOf = (message: ChatMessage | undefined) =>
      /<\w+ \d>/.exec(JSON.stringify(message))?.[0] ?? "none";
    expect(covered, `${words} words`).toContain(markOf(history[last]));
    expect(left, `${words} words`).not.toContain(markOf(history[last]));
    assertAccepted(modelHistory(sent));
    expect(modelHistory([...history, ...result.historyDelta]).slice(0, sent.length)).toEqual(
      modelHistory(sent),
    );
  }
});

test("a second summary covers the first one", async () => {
  const said = (at: number): ChatMessage[] => [
    user(long(`Question ${at}`, 500)),
    { role: "assistant", parts: [{ type: "text", text: long(`Answer ${at}`, 500) }] },
  ];
  let history: ChatMessage[] = [...[1, 2, 3, 4].flatMap(said), user("And now?")];
  for (const notes of ["First notes.", "Second notes."]) {
    const { provider, wrapped } = limited(4_000, [text(notes), stop("end_turn")], done);
    const { result } = await run({ provider: wrapped, history });
    history = [...history, ...result.historyDelta];
    const sent = modelHistory(provider.turns[1]?.history ?? []);
    expect(modelHistory(history).slice(0, sent.length)).toEqual(sent);
    if (notes.startsWith("Second")) {
      const asked = JSON.stringify(provider.turns[0]?.history);
      expect(asked).toContain("Earlier notes: First notes.");
      expect(JSON.stringify(sent)).not.toContain("First notes.");
    }
    history = [...history, ...[5, 6, 7].flatMap(said), user("Go on.")];
  }
});

test("what the provider refuses as too long is made shorter once", async () => {
  const refusal = new ProviderError("context_overflow", "Too long.");
  const history = [...asks, ...round("a"), ...round("b")];
  const { provider, wrapped } = limited(undefined, [refusal], done);
  const { kinds, result } = await run({ provider: wrapped, history });
  expect(kinds).toBe("iteration notice text usage result");
  expect(provider.turns).toHaveLength(2);
  expect(result.stopReason).toBe("end_turn");

  const again = limited(undefined, [refusal], [refusal], [refusal]);
  const ended = await run({ provider: again.wrapped, history });
  expect(ended.result.error?.code).toBe("context_overflow");
  expect(again.provider.turns).toHaveLength(2);
});

test("a single result larger than the window is cut in the middle, and can be read whole", async () => {
  const { provider, archive, wrapped } = limited(4_000, done);
  const { kinds } = await run({ provider: wrapped, history: [...asks, ...round("huge", 20_000)] });
  expect(kinds).toBe("iteration notice text usage result");
  const read = readOf(provider.turns[0]?.history ?? [], "huge") ?? "";
  expect(read).toMatch(/^<huge> word[\s\S]*\[\d+ characters left out; read them with meguri__read_result/);
  expect(tokensOf(read)).toBeLessThan(3_500);
  expect(archive.get("huge")?.content).toEqual([{ type: "text", text: long("<huge>", 20_000) }]);
});

test("a summary that fails leaves the rest as it is, and the model is asked all the same", async () => {
  const history: ChatMessage[] = [
    user(long("Long", 4_000)),
    { role: "assistant", parts: [{ type: "text", text: "Yes." }] },
    user("And?"),
  ];
  const { provider, wrapped } = limited(2_000, [new ProviderError("unavailable", "503.")], done);
  const { kinds } = await run({ provider: wrapped, history });
  expect(kinds).toBe("iteration text usage result");
  expect(provider.turns[1]?.history).toHaveLength(3);
});

test("tokens of Japanese count by the character", () => {
  expect(tokensOf("word ".repeat(400))).toBe(500);
  expect(tokensOf("日本語の文章".repeat(100))).toBe(600);
});

test("each result is told of once", async () => {
  const again = [call("x", "demo__add"), stop("tool_use")];
  const { wrapped } = limited(5_000, again, done);
  const history = [...asks, ...round("a"), ...round("b"), ...round("c"), ...round("d")];
  const notices: Chunk[] = [];
  await run({ provider: wrapped, history }, (chunk) => chunk.type === "notice" && notices.push(chunk));
  expect(notices).toHaveLength(1);
});
