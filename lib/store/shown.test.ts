import { expect, test } from "vitest";
import { StoreError } from "./errors";
import { conversation, message, run } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

const files = import.meta.glob<string>(["./*.ts", "./search/*.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const table = "(?:conversation|run|share|attachment|queued_message)";
const read = new RegExp(`(?:selectFrom|[jJ]oin)\\(\\s*"${table}(?: as \\w+)?"`, "g");

/**
 * How many queries read a table of what people see without asking whether its conversation is deleted. A new query counts
 * here, or asks: `isShown` and `isNotDeleted` stand in the file as often as the others.
 */
const unasked: Record<string, number> = {
  // All that somebody has, deleted or not, becomes somebody else's.
  "adopt.ts": 2,
  // The files of one conversation that goes, of a project, of nobody, and of all.
  "attachments.ts": 4,
  // What somebody has running, in a deleted conversation too: it is an answer that is being written.
  "begin-run.ts": 1,
  // The newest run, and what was chosen, of a row that is at hand.
  "conversations.ts": 2,
  "delete-conversations.ts": 3,
  // All that somebody has goes.
  "deleted-people.ts": 2,
  "gateway-sessions.ts": 0,
  "give-title.ts": 1,
  "list-runs.ts": 0,
  // Of a chain of runs that is at hand.
  // Whether an id is taken, by a deleted one too.
  "find-imports.ts": 4,
  "message-queue.ts": 5,
  "message-rows.ts": 1,
  // Of a message: by its owner's own id, under which nobody finds a run or a conversation that is deleted.
  "messages.ts": 1,
  // What a conversation holds that is at hand.
  "outlines.ts": 3,
  // Who drives a run, of a deleted conversation too: it can still be stopped.
  "postgres-commands.ts": 1,
  "projects.ts": 1,
  "queued-rows.ts": 1,
  "removable.ts": 5,
  // Every link has another address.
  "rotate.ts": 2,
  "run-status.ts": 1,
  // Of a run that is at hand.
  "run-options.ts": 1,
  "run-usage.ts": 0,
  "search/search.ts": 0,
  "search/select-places.ts": 0,
  // Those that a crash cut short, those that run, and those that are held for a call.
  "runs.ts": 2,
  // How often a trigger has asked.
  "schedules.ts": 1,
  // The link of a deleted one is over, and says so.
  "shares.ts": 3,
  // Whether a run of a conversation that is at hand waits.
  "unlisted.ts": 1,
};

test("every query of what people see asks whether it is deleted, but for those that are known", () => {
  const found: Record<string, number> = {};
  for (const [path, source] of Object.entries(files)) {
    if (path.endsWith(".test.ts")) continue;
    const reads = source.match(read)?.length ?? 0;
    const asks = source.match(/\.where\((?:isShown\(|isNotDeleted)/g)?.length ?? 0;
    if (reads > 0) found[path.slice(2)] = reads - asks;
  }
  expect(found).toEqual(unasked);
});

test("a run that was cut short in a deleted conversation is ended; nothing begins, goes on or waits there", async () => {
  const { conversations, messages, runs, queue } = await openTempStore();
  await conversations.create(conversation());
  await messages.append("c1", [message("q", null)]);
  for (const status of ["running", "waiting"] as const)
    await runs.create(run(status, { status, parentId: status }));
  const row = { id: "m1", conversationId: "c1", userId: "ann", clientMessageId: "m", createdAt: 1 };
  const parts = [{ type: "text" as const, text: "More" }];
  const queued = { ...row, when: "after" as const, message: { role: "user" as const, parts } };
  expect(await queue.add({ row: queued, runId: "running", questionId: "q" })).toEqual({ id: "m1" });
  expect([await queue.unsettled(), await runs.withStatus("waiting")]).toMatchObject([[{}], [{}]]);
  expect([await conversations.hide("c1", 1), await conversations.hide("c1", 2)]).toEqual([true, false]);
  expect(await runs.withStatus("running")).toMatchObject([{ id: "running" }]);
  expect([await queue.unsettled(), await runs.withStatus("waiting")]).toEqual([[], []]);
  expect([await queue.get("ann", "m1"), await queue.byClientId("ann", "m")]).toEqual([undefined, undefined]);
  const begun = await runs.create(run("new", { parentId: "new" })).catch((cause: unknown) => cause);
  expect(begun).toBeInstanceOf(StoreError);
  expect(begun).toMatchObject({ code: "not_found" });
  await conversations.restore("ann", ["c1"], 0);
  await runs.create(run("new", { parentId: "new" }));
  expect(await queue.unsettled()).toHaveLength(1);
});
