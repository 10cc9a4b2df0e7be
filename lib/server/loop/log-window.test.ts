import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { LogSource, RunLog, Urgency } from "@/lib/store/ports";
import { openTempStore } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";
import { LogWindow } from "./log-window";

const text = (content: string): Chunk => ({ type: "text", content });
const notice = (message: string): Chunk => ({ type: "notice", kind: "retry", message });
const start: Chunk = { type: "tool_start", id: "a" as ToolCallId, args: {} };
const words = (count: number) => Array.from({ length: count }, (_, index) => text(`${index} `));
const said = (events: readonly LogEvent[]) =>
  events.map(({ seq, data }) => `${seq} ${"content" in data ? data.content : data.type}`);

/** A window over a log whose commits begin and end when the test says so. */
function openByHand() {
  const asked: Urgency[] = [];
  const seen: string[] = [];
  let source: LogSource | undefined;
  const log: Pick<RunLog, "request"> = {
    request: (given, urgency) => {
      source = given;
      asked.push(urgency);
    },
  };
  const window = new LogWindow("r1", log, {
    onTaken: () => {},
    onStored: (events) => seen.push(...said(events)),
  });
  return {
    window,
    asked,
    seen,
    begin: () => said(source?.take() ?? []),
    end: () => source?.stored(),
    fail: (cause: Error) => source?.failed(cause),
  };
}

/** Whether a write has come to its end. */
function watch(written: Promise<void> | undefined) {
  const state = { outcome: written ? "waits" : "taken" };
  written?.then(
    () => {
      state.outcome = "stored";
    },
    (cause: Error) => {
      state.outcome = cause.message;
    },
  );
  return state;
}
const settle = () => new Promise(setImmediate);

test("pieces that come while a commit is under way are the next one, and are seen when it has ended", async () => {
  const { window, asked, seen, begin, end } = openByHand();
  for (const piece of words(3)) expect(window.write(piece)).toBeUndefined();
  expect(begin()).toEqual(["1 0 ", "2 1 ", "3 2 "]);
  for (const piece of words(2)) void window.write(piece);
  expect(seen).toEqual([]);
  expect(asked).toEqual(["soon"]);
  end();
  expect(seen).toEqual(["1 0 ", "2 1 ", "3 2 "]);
  expect(asked).toEqual(["soon", "soon"]);
  expect(begin()).toEqual(["4 0 ", "5 1 "]);
  end();
  expect(seen).toHaveLength(5);
});

test("an intent is stored with all before it when its writer goes on", async () => {
  const { window, asked, seen, begin, end } = openByHand();
  void window.write(text("Well."));
  const written = watch(window.write(start));
  expect(asked).toEqual(["soon", "durable"]);
  begin();
  await settle();
  expect([written.outcome, seen]).toEqual(["waits", []]);
  end();
  await settle();
  expect([written.outcome, seen]).toEqual(["stored", ["1 Well.", "2 tool_start"]]);
});

test("a writer that is faster than the disk waits; those that wait are served in turn", async () => {
  for (const pieces of [words(256), [text("x".repeat(65_536))]]) {
    const { window, seen, begin, end } = openByHand();
    for (const piece of pieces) expect(window.write(piece)).toBeUndefined();
    const more = ["a", "b", "c"].map((content) => watch(window.write(text(content))));
    await settle();
    expect(more.map(({ outcome }) => outcome)).toEqual(["waits", "waits", "waits"]);
    begin();
    await settle();
    expect(more.map(({ outcome }) => outcome)).toEqual(["stored", "stored", "stored"]);
    end();
    expect(begin().map((line) => line.slice(-1))).toEqual(["a", "b", "c"]);
    end();
    expect(seen).toHaveLength(pieces.length + 3);
  }
});

test("after pieces that could not be stored nothing is, until the end of the run is written, without a gap", async () => {
  const { window, asked, seen, begin, end, fail } = openByHand();
  void window.write(text("stored"));
  begin();
  end();
  void window.write(text("lost"));
  const intent = watch(window.write(start));
  begin();
  void window.write(text("later"));
  const behind = watch(window.write(notice("later")));
  const flushed = watch(window.flush());
  fail(new Error("full"));
  await settle();
  expect([intent.outcome, behind.outcome, flushed.outcome]).toEqual(["full", "full", "full"]);
  for (const chunk of [text("no"), notice("no")]) await expect(window.write(chunk)).rejects.toThrow("full");
  await expect(window.flush()).rejects.toThrow("full");
  expect([...window.pending()]).toEqual([]);
  window.reopen();
  asked.length = 0;
  const result = watch(window.write(notice("end")));
  expect(asked).toEqual(["now"]);
  expect(begin()).toEqual(["2 notice"]);
  end();
  await settle();
  expect([result.outcome, seen]).toEqual(["stored", ["1 stored", "2 notice"]]);
});

test("a chunk whose own writer hears that it failed leaves no gap and stops nobody else", async () => {
  const { window, seen, begin, end, fail } = openByHand();
  const answer = watch(window.write(notice("answer")));
  begin();
  void window.write(text("goes on"));
  fail(new Error("full"));
  await settle();
  expect(answer.outcome).toBe("full");
  expect(begin()).toEqual(["1 goes on"]);
  end();
  await window.flush();
  expect(seen).toEqual(["1 goes on"]);
});

test("only the first of pieces that follow each other has a time, over commits too", () => {
  const { window, begin, end } = openByHand();
  const at = (chunks: Iterable<Chunk>) => [...chunks].map((chunk) => chunk.at !== undefined);
  for (const chunk of [text("a"), text("b"), notice("c"), text("d")]) window.write(chunk)?.catch(() => {});
  expect(at(window.pending())).toEqual([true, false, true, true]);
  begin();
  end();
  void window.write(text("e"));
  expect(at(window.pending())).toEqual([false]);
});

test("nothing follows a result", async () => {
  const { window } = openByHand();
  const result = { stopReason: "end_turn", historyDelta: [], finalText: "", iterationsUsed: 1 };
  const usage = { inputTokens: 0, outputTokens: 0 };
  void window.write({ type: "result", result: { ...result, timedOut: false, usage } as never });
  await expect(window.write(text("late"))).rejects.toThrow("ends with its result");
});

test("on a real store the log of many writers has every piece once, in the order of each", async () => {
  const { log } = await openTempStore();
  const seen: number[] = [];
  const window = new LogWindow("r1", log, {
    onTaken: () => {},
    onStored: (events) => seen.push(...events.map(({ seq }) => seq)),
  });
  const writer = async (agent: string) => {
    for (let count = 0; count < 500; count++) {
      await window.write({ ...text(`${count}`), agent });
      if (count % 100 === 7) await window.write({ ...start, agent });
    }
  };
  await Promise.all(["a", "b", "c"].map(writer));
  await window.flush();
  const events = await log.read("r1", 0, 10_000);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_515 }, (_, index) => index + 1));
  expect(seen).toEqual(events.map(({ seq }) => seq));
  for (const agent of ["a", "b", "c"]) {
    const contents = events.flatMap(({ data }) =>
      data.agent === agent && data.type === "text" ? [data.content] : [],
    );
    expect(contents).toEqual(Array.from({ length: 500 }, (_, index) => `${index}`));
  }
});
