import type { RunItem } from "@/lib/protocol/http";

const at = "2026-11-21T00:00:00.000Z";

/** A run as the API tells it, complete and without a word; what a test does not care about is filled in. */
export const runItem = (patch: Partial<RunItem> = {}): RunItem => ({
  id: "r1",
  conversationId: "c1",
  messageId: "m1",
  status: "completed",
  model: "demo/demo",
  agent: null,
  continues: null,
  startedAt: at,
  endedAt: at,
  iterations: [],
  answeredCalls: [],
  stopReason: "end_turn",
  usage: { inputTokens: 0, outputTokens: 0 },
  error: null,
  pending: [],
  ...patch,
});
