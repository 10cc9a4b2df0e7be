import { expect, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { RunFilter } from "./ports";
import { conversation, message, result, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { RunRow } from "./types";

test("runs come newest first by pages, and one page goes on where the one before has ended", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.conversations.create(conversation({ id: "c2" }));
  // Two at each moment.
  for (let at = 0; at < 10; at++)
    await store.runs.create(
      run(`r${at}`, {
        status: at % 3 === 0 ? "failed" : "completed",
        agent: at === 4 ? "pipeline" : null,
        conversationId: at < 5 ? "c1" : "c2",
        startedAt: 100 + Math.floor(at / 2),
      }),
    );
  await store.runs.create(run("other", { userId: "bob" }));
  const pages = async (limit: number, filter: RunFilter = {}) => {
    const ids: string[][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await store.runs.list("ann", { limit, ...filter, ...(cursor && { cursor }) });
      ids.push(page.items.map(({ id }) => id));
      if (page.nextCursor === null) return ids;
      cursor = page.nextCursor;
    }
  };
  expect(await pages(3)).toEqual([["r9", "r8", "r7"], ["r6", "r5", "r4"], ["r3", "r2", "r1"], ["r0"]]);
  expect(await pages(2, { status: "failed" })).toEqual([
    ["r9", "r6"],
    ["r3", "r0"],
  ]);
  expect(await pages(9, { kind: "workflow" })).toEqual([["r4"]]);
  expect(await pages(4, { kind: "chat", conversationId: "c1" })).toEqual([["r3", "r2", "r1", "r0"]]);
  await store.conversations.hide("c2", 5000);
  expect(await pages(9)).toEqual([["r4", "r3", "r2", "r1", "r0"]]);
});

test("calls of programs are counted by their token, of the newest so many", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  const call = (id: string, startedAt: number, patch: Partial<RunRow> = {}) =>
    store.runs.create(run(id, { origin: "gateway", status: "completed", startedAt, ...patch }));
  await call("old", 10, { tokenId: "t1" });
  await call("asked", 20, { tokenId: "t1", status: "completed", result: asking });
  await call("denied", 21, { tokenId: "t1", continues: "asked", status: "running" });
  await call("another", 22, { tokenId: "t2" });
  await call("launched", 23);
  await store.runs.create(run("v1", { origin: "v1", tokenId: "t1", status: "completed", startedAt: 30 }));
  await store.runs.create(
    run("other", { origin: "gateway", userId: "bob", status: "completed", startedAt: 30 }),
  );
  const denial = message("m", "q", {
    message: { role: "tool", results: [{ id: "a" as ToolCallId, status: "denied", content: [] }] },
    runId: "denied",
  });
  const end = { status: "completed" as const, endedAt: 40, result: runEnd(), iterations: [] };
  await store.runs.finish("denied", end, [denial]);
  expect((await store.runs.get("ann", "denied"))?.callStatus).toBe("denied");
  const of = (tokenId: string | null, calls: number, asked = 0, denied = 0) => ({
    ...{ tokenId, calls, asked, denied },
  });
  expect(await store.runs.countCalls("ann", 20, 100)).toEqual({
    counts: [of(null, 1), of("t2", 1), of("t1", 1, 1, 1)],
    isWhole: true,
  });
  expect(await store.runs.countCalls("ann", 20, 2)).toEqual({
    counts: [of(null, 1), of("t2", 1)],
    isWhole: false,
  });
  const listed = await store.runs.list("ann", { limit: 9, tokenId: "t1" });
  expect(listed.items.map(({ id }) => id)).toEqual(["v1", "denied", "asked", "old"]);
});

const asking = runEnd(result({ stopReason: "awaiting_approval" }));
