import { expect, test } from "vitest";
import type { RunFilter } from "./ports";
import { conversation, run } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

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
