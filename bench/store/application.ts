import { serveParent } from "@/bench/support/child";
import { search } from "@/lib/server/conversations/search";
import { getDeps } from "@/lib/server/entry/deps";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { seeded, textOf } from "./texts";

/** What a parent asks for. */
export type Asked =
  | { fill: number }
  | { append: number; isFound: boolean }
  | { find: string; times: number; filter?: { project: string } };

export interface Appended {
  /** For one message. */
  ms: number;
  cpuMs: number;
}

const userId = "bench";
const perConversation = 50;
const [dataDir = "", config = ""] = process.argv.slice(2);
Object.assign(process.env, { DATA_DIR: dataDir, MCP_CONFIG: config, LOG_LEVEL: "error" });
const deps = await getDeps();
const random = seeded(1);
let written = 0;

function nextMessage(conversationId: string, parentId: string | null, isFound = true) {
  const text = textOf(random, written++);
  const place = { conversationId, parentId };
  // A summary of the same length is stored and not put into the index.
  const message = isFound
    ? { role: "user" as const, parts: [{ type: "text" as const, text }] }
    : { role: "summary" as const, text, keep: 0 };
  return newMessage(place, message, { createdAt: 1_700_000_000_000 + written * 1_000 });
}

async function begin(): Promise<string> {
  const conversation = newConversation(userId, { title: "A talk" });
  await deps.store.conversations.create(conversation);
  return conversation.id;
}

async function fill(count: number): Promise<null> {
  for (let left = count; left > 0; left -= perConversation) {
    const id = await begin();
    const rows: ReturnType<typeof nextMessage>[] = [];
    for (let n = 0; n < perConversation; n++) rows.push(nextMessage(id, rows.at(-1)?.id ?? null));
    await deps.store.messages.append(id, rows);
  }
  return null;
}

/** Each in a transaction of its own, as a question is. */
async function append(count: number, isFound: boolean): Promise<Appended> {
  const id = await begin();
  let parentId: string | null = null;
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let n = 0; n < count; n++) {
    const row = nextMessage(id, parentId, isFound);
    parentId = row.id;
    await deps.store.messages.append(id, [row]);
  }
  const used = process.cpuUsage(cpu);
  return {
    ms: (performance.now() - start) / count,
    cpuMs: (used.user + used.system) / 1_000 / count,
  };
}

async function find(q: string, times: number, filter = {}): Promise<{ ms: number[]; found: number }> {
  const ms: number[] = [];
  let found = 0;
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    const asked = { q, limit: 20, cursor: undefined, archived: false, ...filter };
    found = (await search(deps, userId, asked)).items.length;
    ms.push(performance.now() - start);
  }
  return { ms, found };
}

serveParent(null, async (asked: Asked): Promise<unknown> => {
  if ("fill" in asked) return fill(asked.fill);
  if ("append" in asked) return append(asked.append, asked.isFound);
  return find(asked.find, asked.times, asked.filter);
});
