import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveParent, startChild } from "./child";

/**
 * Writes so many conversations of one answer each into a data folder, by the application's own store, of these people in turns; before
 * them one of so many messages, whose id it returns. Without logs nothing is packed beside what is measured next.
 */
export async function fillStore(
  dataDir: string,
  conversations: number,
  {
    messages = 0,
    people = [userId],
    withLogs = true,
  }: { messages?: number; people?: readonly string[]; withLogs?: boolean } = {},
): Promise<string> {
  const child = await startChild("support/fill-store.ts", [dataDir]);
  try {
    const long = await child.ask<string>({ messages });
    for (let left = conversations; left > 0; left -= atOnce)
      await child.ask({ conversations: Math.min(left, atOnce), people, withLogs });
    await child.ask({ conversations: 0, people, withLogs });
    return long;
  } finally {
    await child.end();
  }
}

const atOnce = 500;

interface Filling {
  conversations: number;
  people: string[];
  withLogs: boolean;
}

/** The person that a launch address signs in. */
const userId = "local";

async function serve(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const config = join(dataDir, "no-servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  Object.assign(process.env, { DATA_DIR: dataDir, MCP_CONFIG: config, LOG_LEVEL: "error" });
  const { getDeps } = await import("@/lib/server/entry/deps");
  const { newConversation, newMessage } = await import("@/lib/server/new-rows");
  const { newId } = await import("@/lib/server/ids");
  const { store, pool } = await getDeps();
  const { runs, log } = store;

  async function write(index: number, userId: string, withLog: boolean): Promise<void> {
    const now = Date.now();
    const text = `Answer ${index}: ${"the third report names the harbour twice. ".repeat(10)}`;
    const conversation = newConversation(userId, { title: `Question ${index} about the harbour` });
    const { id: conversationId } = conversation;
    const parts = [{ type: "text" as const, text: `Question ${index} about the harbour?` }];
    const question = newMessage({ conversationId, parentId: null }, { role: "user", parts });
    const place = { conversationId, messageId: question.id, parentId: question.id };
    const run = {
      ...{ id: newId(), userId, ...place, status: "running" as const, model: "demo/demo" },
      ...{ agent: null, continues: null, options: {}, startedAt: now },
      ...{ endedAt: null, result: null, iterations: [] },
    };
    const message = { role: "assistant" as const, parts: [{ type: "text" as const, text }] };
    const answer = newMessage({ conversationId, parentId: question.id }, message, { runId: run.id });
    const result = {
      ...{ stopReason: "end_turn" as const, finalText: text, iterationsUsed: 1, timedOut: false },
      usage: { inputTokens: 10, outputTokens: 100 },
    };
    const last = { type: "result" as const, result: { ...result, historyDelta: [message] }, at: now };
    await runs.begin(run, { conversation, question });
    await runs.finish(run.id, { status: "completed", endedAt: now, result, iterations: [] }, [answer]);
    if (!withLog) return;
    const told = { type: "text" as const, content: text, at: now };
    const events = [told, last].map((data, at) => ({ seq: at + 1, at: now, data }));
    await log.append(run.id, events, false);
  }

  async function writeLong(messages: number): Promise<string> {
    const conversation = newConversation(userId, { title: "A long talk about the harbour" });
    const { id: conversationId } = conversation;
    let parentId: string | null = null;
    const rows = Array.from({ length: messages }, (_, index) => {
      const text = `**Message ${index}**: \`the third report\` names the harbour twice.\n\n- beside the mill\n- before it`;
      const parts = [{ type: "text" as const, text }];
      const row = newMessage({ conversationId, parentId }, { role: index % 2 ? "assistant" : "user", parts });
      parentId = row.id;
      return row;
    });
    await store.conversations.create(conversation);
    if (rows.length > 0) await store.messages.append(conversationId, rows);
    return conversationId;
  }

  let written = 0;
  serveParent("ready", async (order: Filling | { messages: number }) => {
    if ("messages" in order) return writeLong(order.messages);
    const { conversations: count, people, withLogs } = order;
    for (const end = written + count; written < end; written++)
      await write(written + 1, people[written % people.length] ?? userId, withLogs);
    // A start after an orderly end is measured, not after a crash.
    if (count === 0) await pool.close().then(() => store.close());
    return written;
  });
}

const [, program, dataDir] = process.argv;
if (program?.endsWith("fill-store.ts") && dataDir) await serve(dataDir);
