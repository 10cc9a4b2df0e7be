import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, ToolMessage, ToolResult } from "@/lib/protocol/message";
import { openStore } from "@/lib/store/open-store";
import { rewind } from "@/lib/store/testing/rewind";
import { conversation, message, result, run, runEnd, share } from "@/lib/store/testing/rows";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";

/** Each with the reason that its text stood for; the last ones are the words of a server or of a person. */
const told: [ToolResult["status"], string, ToolResult["reason"]?][] = [
  ["error", "Not run: stopped before it was sent.", "not_run"],
  ["error", "Not run: shop is not connected.", "not_run"],
  ["error", "Not run: the arguments must be one JSON object. This is an array.\nGot: [1]", "not_run"],
  ["error", "There is no tool shop__sell. Available tools: shop__pay.", "not_run"],
  ["error", "Not run: the server stopped before it was sent.", "cut_short"],
  ["error", "shop did not answer within 60 s and was told to stop.", "unfinished"],
  ["unknown", "Sent, then the server stopped before an answer came.", "cut_short"],
  ["unknown", "Stopped while the call was on its way; the server was told.", "cancelled"],
  ["unknown", "shop ended with exit code 3 while the call was on its way.", "unfinished"],
  ["denied", "Not run: the person went on without it.", "left_open"],
  ["denied", "The user declined this call.", "declined"],
  ["denied", "The rule mcp:shop:pay forbids this tool.", "not_run"],
  ["error", "Not run: nothing was deleted."],
  ["error", "Not run: the printer is not connected."],
  ["error", "Not run: printer is not connected."],
  ["error", "printer did not answer within 60 s and was told to stop."],
  ["unknown", "Sent, but the person went on before an answer came."],
  ["denied", "I do not drink milk"],
  ["ok", "Not run: stopped before it was sent."],
];
const idOf = (at: number) => `call-${at}` as ToolCallId;
const calls = told.map(
  (_, at): ToolCall => ({ type: "tool_call", id: idOf(at), name: "shop__pay", server: "shop", args: {} }),
);
const results = (withReasons: boolean) =>
  told.map(
    ([status, text, reason], at): ToolResult => ({
      id: idOf(at),
      status,
      content: [{ type: "text", text }],
      ...(withReasons && reason && { reason }),
    }),
  );
const asking = message("a", "q", { message: { role: "assistant", parts: calls } });
const roundOf = (withReasons: boolean): ToolMessage => ({ role: "tool", results: results(withReasons) });
const chunksOf = (withReasons: boolean): Chunk[] => [
  ...calls.map((call): Chunk => ({ type: "tool_call", call })),
  ...results(withReasons).map((each): Chunk => ({ type: "tool_result", result: each, durationMs: 1 })),
  { type: "result", result: endOf(withReasons) },
];
const endOf = (withReasons: boolean) => result({ historyDelta: [asking.message, roundOf(withReasons)] });
const logOf = (withReasons: boolean) =>
  chunksOf(withReasons).map((data, at) => ({ seq: at + 1, at: 5000, data }));

const resultOfDamaged = JSON.stringify({ results: results(false).slice(0, 1) });
const damagedCalls = `
  insert into message values ('c1', 'da', 'ann', 's', 'assistant', null, null, null, 1, '{"parts":[null]}');
  insert into message values ('c1', 'dr', 'ann', 'da', 'tool', null, null, null, 1, '${resultOfDamaged}')`;
const damagedRun = `
  insert into run_event values ('damaged', 1, 1, '{"type":"tool_call"}');
  insert into run_event values ('damaged', 2, 1, '{"type":"tool_result","result":{"status":"error"}}')`;

/** A database as the version before wrote it, reasons in words only. */
async function oldDatabase(): Promise<string> {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null), asking]);
  const [first, second] = [results(false).slice(0, 3), results(false).slice(3)];
  await store.messages.append("c1", [
    message("r", "a", { message: { role: "tool", results: first } }),
    message("s", "r", { message: { role: "tool", results: second } }),
  ]);
  await store.runs.begin(run("r1", { status: "completed" }), {});
  const stored = { ...message("r", "a"), siblings: ["r"], createdAt: "2026-01-01T00:00:00.000Z" };
  const { message: _, conversationId: __, clientMessageId: ___, ...item } = stored;
  const snapshot = { title: "", createdAt: "", runs: [], messages: [{ ...item, ...roundOf(false) }] };
  await store.shares.create(share("s1", { snapshot }));
  await store.close();
  const openOld = async (file: string, area: "records" | "log", version: number) => {
    await rewind(join(dataDir, file), area, version);
    return new DatabaseSync(join(dataDir, file));
  };
  const records = await openOld("meguri.db", "records", 4);
  records.prepare("update run set result = ?").run(JSON.stringify(endOf(false)));
  records.exec(damagedCalls);
  records.close();
  const log = await openOld("run-log.db", "log", 2);
  const addLine = log.prepare("insert into run_event values ('r1', ?, ?, ?)");
  for (const { seq, at, data } of logOf(false)) addLine.run(seq, at, JSON.stringify(data));
  log.exec(`insert into run_event values ('broken', 1, 1, '{"status":"error"')`);
  log.exec(damagedRun);
  log.close();
  return dataDir;
}

test("an old database is read once: our words become a reason, those of servers and persons stay words", async () => {
  const store = await openTempStore({ dataDir: await oldDatabase() });
  const { rows } = await store.messages.branch("c1", "s");
  expect(rows[1]).toEqual(asking);
  const stored = rows.flatMap((row) => (row.message.role === "tool" ? row.message.results : []));
  expect(stored).toEqual(results(true));
  expect(await store.log.read("r1", 0, 1000)).toEqual(logOf(true));
  expect((await store.runs.get("ann", "r1"))?.result).toEqual(runEnd(endOf(true)));
  const shared = await store.shares.get("ann", "s1");
  expect(shared?.snapshot.messages).toMatchObject([roundOf(true)]);
});
