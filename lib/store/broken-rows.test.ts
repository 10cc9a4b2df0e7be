import { expect, test } from "vitest";
import type { ToolCallId } from "@/lib/protocol/ids";
import { openStore } from "./open-store";
import { chain, conversation, run } from "./testing/rows";
import { askStored, openTempStore, placeOf, tempDir } from "./testing/temp-store";

test("a message that cannot be read is named, and the list of conversations goes on", async () => {
  const dataDir = tempDir();
  const first = await openStore(await placeOf(dataDir));
  await first.conversations.create(conversation());
  await first.messages.append("c1", chain(["a", "b", "c"]));
  await first.close();
  const write = (id: string, body: string) =>
    askStored(dataDir, "records", `update message set body = '${body}' where id = '${id}'`);
  await write("b", '{"parts":[{"type":"text"}]}');
  await write("c", '{"parts":');
  await write("a", '{"parts":[{"type":"text","text":"t","new":1}],"more":true}');
  const again = await openTempStore({ dataDir });
  await expect(again.messages.branch("c1", "b")).rejects.toMatchObject({
    code: "broken_row",
    message: expect.stringMatching(/^The stored message b cannot be read \(parts\.0\.text: /),
  });
  await expect(again.messages.get("c1", "c")).rejects.toThrow("The stored message c cannot be read");
  expect((await again.messages.get("c1", "a"))?.message).toEqual({
    role: "user",
    parts: [{ type: "text", text: "t", new: 1 }],
    more: true,
  });
  expect((await again.conversations.list("ann", { limit: 10 })).items).toHaveLength(1);
});

test("a run that cannot be read is left out of lists and named, and refused by itself", async () => {
  const dataDir = tempDir();
  const first = await openStore(await placeOf(dataDir));
  await first.conversations.create(conversation());
  for (const id of ["r1", "r2", "r3"]) await first.runs.create(run(id, { parentId: id }));
  await first.close();
  await askStored(dataDir, "records", `update run set iterations = '[{}]' where id = 'r2'`);
  const told: string[] = [];
  const again = await openTempStore({ dataDir, onBrokenRow: ({ message: text }) => told.push(text) });
  expect((await again.runs.withStatus("running")).map(({ id }) => id)).toEqual(["r1", "r3"]);
  expect(told).toEqual([expect.stringMatching(/^The stored run r2 cannot be read/)]);
  await expect(again.runs.get("ann", "r2")).rejects.toMatchObject({ code: "broken_row" });
});

const toId = (seq: number) => `call${seq}` as ToolCallId;

test("an event that cannot be read is named with its run", async () => {
  const dataDir = tempDir();
  const first = await openStore(await placeOf(dataDir));
  // Each of this kind is a row of its own.
  const start = (seq: number) => ({
    seq,
    at: seq,
    data: { type: "tool_start" as const, id: toId(seq), args: {} },
  });
  await first.log.append("r1", [1, 2, 3].map(start), true);
  await first.close();
  await askStored(dataDir, "log", "update event_range set data = '[]' where first = 2");
  const again = await openTempStore({ dataDir });
  await expect(again.log.read("r1", 0, 10)).rejects.toThrow("The stored event 2 of run r1 cannot be read");
  expect(await again.log.read("r1", 2, 10)).toEqual([start(3)]);
});
