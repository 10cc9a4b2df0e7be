import { expect, test } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import { streamRun } from "@/lib/server/runs/read-run";
import { user } from "@/lib/server/testing/run-kit";
import { openWorld, type Script, startProcess } from "@/lib/server/testing/world";
import { tempDir } from "@/lib/store/testing/temp-store";
import type { RunRow } from "@/lib/store/types";
import { chat } from "./chat";

type Asked = Parameters<typeof chat>[2];

/**
 * Counts the statements on the records: what begins and ends a transaction apart. The log is a file of its own, to which
 * all runs write together.
 */
async function startCounted(...words: string[]) {
  // A model answers when the question is stored for good, and not before.
  const stored = words.map(() => Promise.withResolvers<void>());
  const script: Script = words.map((word, turn) => [
    stored[turn]?.promise ?? new Error("It has no word."),
    text(word),
    stop("end_turn"),
  ]);
  let counted: string[] = [];
  const onStatement = (sql: string) => void counted.push(sql);
  const world = await openWorld(script, tempDir(), { onStatement });
  const app = startProcess(world);
  // Known by now; it is asked for after the end, beside everything else.
  await app.store.settings.get(user, "titles");
  const take = () => {
    const taken = counted.filter((sql) => !/^(begin|commit)$/.test(sql));
    counted = [];
    return taken;
  };
  /** Sends a message; gives what ran until its reader has the first byte, and what ran until it has the last one. */
  const send = async (asked: Partial<Asked>) => {
    const message = { text: "Do it.", attachments: [] };
    take();
    const row = await chat(app, user, { message, clientMessageId: crypto.randomUUID(), ...asked } as Asked);
    stored.shift()?.resolve();
    const reader = streamRun(app, row, 0, new Request("http://127.0.0.1")).body?.getReader();
    await reader?.read();
    const begin = take();
    while (!(await reader?.read())?.done);
    await app.runs.get(row.id)?.ended;
    return { row, begin, end: take() };
  };
  return { send, world };
}

const firstWords = (statements: readonly string[]) => statements.map((sql) => sql.split(" ")[0]).join(" ");

test("the first question of a conversation takes few statements before the first byte, and at the end", async () => {
  const { send } = await startCounted("One.", "Two.");
  await send({});
  // What was set is known by now.
  const { begin, end } = await send({});
  expect(firstWords(begin)).toBe("select insert insert insert insert");
  expect(firstWords(end)).toBe("update insert insert insert update");
});

test("the next question takes seven at most, however long the conversation is", async () => {
  const { send } = await startCounted("One.", "Two.", "Three.");
  const first = await send({});
  const { conversationId } = first.row;
  for (let turn = 0; turn < 2; turn++) {
    const { begin, end } = await send({ conversationId });
    expect(firstWords(begin)).toBe("select select with update insert insert insert");
    expect(firstWords(end)).toBe("update insert insert insert update");
  }
});

test("asking again for an answer takes six at most", async () => {
  const { send } = await startCounted("One.", "Two.");
  const { row } = await send({});
  const { conversationId, messageId }: RunRow = row;
  const { begin } = await send({ conversationId, regenerate: messageId, clientMessageId: undefined });
  expect(begin.length).toBeLessThanOrEqual(6);
});
