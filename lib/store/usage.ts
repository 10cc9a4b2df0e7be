import type { UsageKind } from "@/lib/protocol/data";
import type { Engine } from "./engine";
import type { Store } from "./ports";
import type { DB } from "./schema";

/** What the rows of a table are; the bytes of attachments themselves lie elsewhere. */
const kinds: Record<keyof DB, Exclude<UsageKind, "unused">> = {
  conversation: "conversations",
  message: "conversations",
  queued_message: "conversations",
  run: "runs",
  run_answer: "runs",
  run_key: "runs",
  event_range: "runs",
  event_journal: "runs",
  deleted_run: "runs",
  attachment: "attachments",
  share: "shares",
  assistant: "other",
  project: "other",
  prompt: "other",
  setting: "other",
  mcp_approval: "other",
  schema_version: "other",
};

/** It reads the whole database: those who ask while it does are told of the same measurement. */
export function openUsage(engine: Pick<Engine, "sizes">): Store["usage"] {
  let underWay: ReturnType<Store["usage"]> | undefined;
  return () => {
    underWay ??= measure(engine).finally(() => (underWay = undefined));
    return underWay;
  };
}

async function measure(engine: Pick<Engine, "sizes">): ReturnType<Store["usage"]> {
  const { tables, unused } = await engine.sizes();
  const usage = { conversations: 0, runs: 0, attachments: 0, shares: 0, other: 0, unused };
  for (const [table, bytes] of Object.entries(tables))
    usage[table in kinds ? kinds[table as keyof DB] : "other"] += bytes;
  return usage;
}
