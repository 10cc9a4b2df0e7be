import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { StreamEvent } from "@/lib/protocol/sse";
import type { Deps } from "@/lib/server/entry/open-deps";
import { readChain } from "@/lib/server/loop/chain";
import { LiveRun } from "@/lib/server/loop/live-run";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import { openTempStore } from "@/lib/store/testing/temp-store";
import type { RunRow } from "@/lib/store/types";
import { streamRun } from "./read-run";

const row: RunRow = {
  id: "run",
  conversationId: "conversation",
  userId: "user",
  messageId: "message",
  parentId: "message",
  status: "running",
  model: "demo/demo",
  agent: null,
  continues: null,
  options: {},
  startedAt: 0,
  endedAt: null,
  result: null,
  iterations: [],
};

async function startLive() {
  const deps = { store: await openTempStore(), runs: new LiveRuns() } as unknown as Deps;
  const run = new LiveRun(row, deps.store.log, await readChain(deps, undefined));
  deps.runs.add(run);
  const write = async (...chunks: Chunk[]) => {
    await Promise.all(chunks.map((chunk) => run.write(chunk)));
    await run.flush();
  };
  const read = (after: number) => {
    const { body } = streamRun(deps, row, after, new Request("http://127.0.0.1"));
    if (!body) throw new Error("A stream without a body.");
    return body.pipeThrough(new TextDecoderStream()).getReader();
  };
  return { run, write, read };
}

type Reader = ReturnType<Awaited<ReturnType<typeof startLive>>["read"]>;

/** Everything up to the end of the stream. */
async function drain(reader: Reader): Promise<(StreamEvent & { id: number })[]> {
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("id:"))
    .map((block) => ({
      id: Number(/^id: (\d+)/.exec(block)?.[1]),
      event: "chunk",
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ""),
    }));
}

const pieces = (count: number, type: "text" | "reasoning" = "text"): Chunk[] =>
  Array.from({ length: count }, (_, index) => ({ type, content: `${index} ` }));
const said = (events: StreamEvent[]) =>
  events
    .map((event) => (event.event === "chunk" && event.data.type === "text" ? event.data.content : ""))
    .join("");

test("a reader of a live run that falls behind gets pieces of text together, in their order, and nothing twice", async () => {
  const { run, write, read } = await startLive();
  const reader = read(0);
  await reader.read(); // it listens, and then does nothing for a while
  await write({ type: "iteration", index: 1 }, ...pieces(40, "reasoning"), ...pieces(200));
  await write({ type: "notice", kind: "server", message: "Wait." }, ...pieces(100));
  run.close();
  const events = await drain(reader);
  expect(said(events)).toBe(
    said(
      pieces(200)
        .concat(pieces(100))
        .map((data, id) => ({ event: "chunk", id, data })),
    ),
  );
  expect(events.length).toBeLessThan(40);
  expect(events.at(-1)?.id).toBe(342);
  let last = 0;
  for (const event of events) {
    if (event.event !== "chunk") continue;
    expect(event.data.from ?? event.id).toBe(last + 1);
    last = event.id;
  }
});

test("pieces of arguments are put together by call, and only the first of each has a time", async () => {
  const { run, write, read } = await startLive();
  const reader = read(0);
  await reader.read();
  const written = (id: string, content: string): Chunk => ({
    ...{ type: "tool_input", id: id as ToolCallId, name: "a__b", content },
  });
  await write({ type: "iteration", index: 1 });
  for (const id of ["one", "two", "one"]) {
    await write(written(id, ""));
    for (let at = 0; at < 30; at++) await write(written(id, `${at},`));
  }
  run.close();
  const whole = Array.from({ length: 30 }, (_, at) => `${at},`).join("");
  const events = (await drain(reader)).flatMap((event) =>
    event.event === "chunk" && event.data.type === "tool_input" ? [event.data] : [],
  );
  expect(events).toMatchObject([
    { id: "one", name: "a__b", content: whole, at: expect.any(Number), from: 2 },
    { id: "two", name: "a__b", content: whole, at: expect.any(Number), from: 33 },
    { id: "one", name: "a__b", content: whole, at: expect.any(Number), from: 64 },
  ]);
});

test("what stood in the log when a reader came is sent as it stands, each under its own number", async () => {
  const { run, write, read } = await startLive();
  await write(...pieces(100));
  const reader = read(0);
  const opening = await reader.read();
  expect(opening.value).toBe(":\n\n");
  run.close();
  const events = await drain(reader);
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});
