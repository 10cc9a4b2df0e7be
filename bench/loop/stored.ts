import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilReady } from "@/bench/support/open-pool";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { chat } from "@/lib/server/conversations/chat";
import { getDeps } from "@/lib/server/entry/deps";
import type { Deps } from "@/lib/server/entry/open-deps";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { messagesOf } from "./run-loop";
import type { Addresses, Contestant, McpAddress, Outcome, Task } from "./tasks";

const userId = "bench";

/** Where a question hangs. */
interface Place {
  conversationId?: string;
  parentId?: string;
}

/**
 * The application without its HTTP: what its process opens at the start, and the use case behind `POST /api/chat`, on a
 * database in a temporary folder. A row with a history asks at the end of a conversation that is stored already.
 */
export async function openStored(
  { openai }: Addresses,
  which: "few" | "many",
  mcpServers: Record<"few" | "many", McpAddress>,
): Promise<Contestant> {
  const deps = await openDeps(openai, mcpServers);
  const before = which === "many" ? callsOfAll(deps, which) : [];
  const places = new Map<Task["history"], Promise<Place>>();
  const placeOf = (task: Task) => {
    const history = [...before, ...messagesOf({ ...task, question: "" }, "").slice(0, -1)];
    const place = places.get(task.history) ?? storeHistory(deps, history);
    places.set(task.history, place);
    return place;
  };
  return {
    async run(task) {
      const row = await chat(deps, userId, {
        ...(await placeOf(task)),
        ...{ model: "openai/test-model", servers: [which] },
        message: { text: task.question },
        options: { maxIterations: task.maxTurns },
      });
      const run = deps.runs.get(row.id);
      if (!run) throw new Error("The run has ended before anybody could look.");
      await run.ended;
      return outcomeOf(run.chunks);
    },
  };
}

/** Once in a process, as in the application's. */
async function openDeps(openai: string, mcpServers: Record<string, McpAddress>): Promise<Deps> {
  if (!process.env.MCP_CONFIG) {
    const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, "mcp-servers.json");
    writeFileSync(config, JSON.stringify({ mcpServers }));
    Object.assign(process.env, {
      ...{ DATA_DIR: join(folder, "data"), MCP_CONFIG: config, OPENAI_BASE_URL: openai },
      ...{ TOOL_APPROVAL: "allow", LOG_LEVEL: "error" },
    });
  }
  const deps = await getDeps();
  await untilReady(deps.pool, Object.keys(mcpServers));
  // No other loop asks the model for a title as well.
  await deps.store.settings.set(userId, "titles", "words");
  return deps;
}

/** Stores a conversation with these messages; no conversation when there are none, so that each question begins one. */
async function storeHistory({ store }: Deps, history: readonly ChatMessage[]): Promise<Place> {
  if (history.length === 0) return {};
  const conversation = newConversation(userId);
  const { id: conversationId } = conversation;
  let parentId: string | null = null;
  const rows = history.map((message) => {
    const row = newMessage({ conversationId, parentId }, message);
    parentId = row.id;
    return row;
  });
  await store.conversations.create(conversation);
  await store.messages.append(conversationId, rows);
  return { conversationId, ...(parentId !== null && { parentId }) };
}

/**
 * Of a conversation that has called every tool and was summed up since: all are described to the model, as other loops do
 * it, and it reads one message more than they send.
 */
function callsOfAll({ pool, inFlight }: Deps, server: string): ChatMessage[] {
  const tools = pool.toolBox({ servers: [server], open: new Map(), inFlight }).list();
  const calls = tools.map(({ name }) => ({ id: `before_${name}` as ToolCallId, name, args: {} }));
  return [
    { role: "user", parts: [{ type: "text", text: "Call them all." }] },
    { role: "assistant", parts: calls.map((call) => ({ type: "tool_call", ...call })) },
    { role: "tool", results: calls.map(({ id }) => ({ id, status: "ok", content: [] })) },
    { role: "summary", text: "All were called.", keep: 0 },
  ];
}

/** From the run's own log, once it is stored. */
function outcomeOf(log: Iterable<Chunk>): Outcome {
  const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
  for (const chunk of log)
    if (chunk.type === "text") outcome.pieces++;
    else if (chunk.type === "tool_result") outcome.toolResults += Number(chunk.result.status === "ok");
    else if (chunk.type === "result") {
      const { finalText, stopReason, error } = chunk.result;
      outcome.text = finalText;
      outcome.ended = error?.code ?? stopReason;
    }
  return outcome;
}
