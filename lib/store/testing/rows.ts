import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import type { ShareRow } from "@/lib/store/kept-types";
import type { ConversationRow, LogEvent, MessageRow, RunEnd, RunRow } from "@/lib/store/types";

/** Rows with what a test does not care about filled in. */
export const conversation = (patch: Partial<ConversationRow> = {}): ConversationRow => ({
  id: "c1",
  userId: "ann",
  title: "A talk",
  leafId: null,
  pinned: false,
  archived: false,
  projectId: null,
  createdAt: 1000,
  updatedAt: 1000,
  ...patch,
});

export const message = (
  id: string,
  parentId: string | null,
  patch: Partial<MessageRow> = {},
): MessageRow => ({
  id,
  conversationId: "c1",
  parentId,
  message: { role: "user", parts: [{ type: "text", text: `text of ${id}` }] },
  runId: null,
  model: null,
  clientMessageId: null,
  createdAt: 2000,
  ...patch,
});

/** Each hanging on the one before. */
export const chain = (ids: readonly string[], root: string | null = null): MessageRow[] =>
  ids.map((id, index) => message(id, ids[index - 1] ?? root, { createdAt: 2000 + index }));

export const run = (id: string, patch: Partial<RunRow> = {}): RunRow => ({
  id,
  conversationId: "c1",
  userId: "ann",
  messageId: "q",
  parentId: "q",
  status: "running",
  model: "demo/demo",
  agent: null,
  continues: null,
  options: { maxIterations: 10 },
  startedAt: 3000,
  endedAt: null,
  result: null,
  iterations: [],
  ...patch,
});

export const result = (patch: Partial<AgenticLoopResult> = {}): AgenticLoopResult => ({
  stopReason: "end_turn",
  historyDelta: [{ role: "assistant", parts: [{ type: "text", text: "Hello." }] }],
  finalText: "Hello.",
  iterationsUsed: 1,
  timedOut: false,
  usage: { inputTokens: 5, outputTokens: 2 },
  ...patch,
});

/** The same as it is stored with a run. */
export const runEnd = ({ historyDelta, ...rest }: AgenticLoopResult = result()): RunEnd => ({
  ...rest,
  messages: historyDelta.length,
});

export const share = (id: string, patch: Partial<ShareRow> = {}): ShareRow => ({
  id,
  userId: "ann",
  conversationId: "c1",
  tokenHash: `hash of ${id}`,
  title: "A talk",
  snapshot: { title: "A talk", createdAt: "2026-01-01T00:00:00.000Z", messages: [], runs: [] },
  createdAt: 4000,
  expiresAt: null,
  revokedAt: null,
  views: 0,
  policy: null,
  ...patch,
});

export const text = (content: string): Chunk => ({ type: "text", content });

/** Runs whose logs a process to be killed writes at the same time. */
export const runsOf = (round: number | string): string[] => ["a", "b", "c"].map((name) => `${name}${round}`);

/** One more run, whose pieces gather: so many at most, which may be stored and not told of. */
export const gatheredRunOf = (round: number | string): string => `gathered${round}`;
export const maxGathered = 64;

/** Events `from` to `to` of a run. */
export const events = (from: number, to: number): LogEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    at: 5000 + from + index,
    data: text(`word ${from + index} `),
  }));

/** A log of so many pieces of text, and the end of its run. */
export const endedLog = (pieces: number): LogEvent[] => [
  ...events(1, pieces),
  { seq: pieces + 1, at: 9000, data: { type: "result", result: result() } },
];

/** These and the end of their run after them. */
export const endOf = (log: readonly LogEvent[]): LogEvent[] => [
  ...log,
  { seq: (log.at(-1)?.seq ?? 0) + 1, at: 9000, data: { type: "result", result: result() } },
];

/** A first question and its run, in a conversation of their own. */
export const firstRun = (name: string) => {
  const conversationId = `c-${name}`;
  const question = message(`q-${name}`, null, { conversationId });
  const row = run(`r-${name}`, { conversationId, messageId: question.id, parentId: question.id });
  return [row, { conversation: conversation({ id: conversationId }), question }] as const;
};

/** What became of changes that were asked for at once: "stored", or the code of the fault. */
export const outcomesOf = async (works: readonly Promise<void>[]) =>
  (await Promise.allSettled(works)).map((each) =>
    each.status === "fulfilled" ? "stored" : each.reason.code,
  );
