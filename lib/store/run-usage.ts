import type { Kysely } from "kysely";
import type { Usage } from "@/lib/protocol/usage";
import { addUsage } from "@/lib/protocol/usage";
import { StoreError } from "./errors";
import type { DB } from "./schema";
import { isShown } from "./shown";
import { RunResult, readJson } from "./stored-json";
import type { RunEnd } from "./types";

/** Runs looked at by one query. */
const batchSize = 500;

/** What the ended runs of a conversation have used; one that cannot be read is left out and handed to `onBrokenRow`. */
export async function sumUsage(
  db: Kysely<DB>,
  conversationId: string,
  onBrokenRow: (error: StoreError) => void,
): Promise<Usage> {
  const total: Usage = { inputTokens: 0, outputTokens: 0 };
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom("run")
      .select(["id", "result"])
      .where("conversation_id", "=", conversationId)
      .where(isShown("run.conversation_id"))
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute();
    for (const { id, result } of rows) {
      try {
        const end = readJson<RunEnd | null>(`result of run ${id}`, result ?? "null", RunResult);
        if (end) addUsage(total, end.usage);
      } catch (cause) {
        if (!(cause instanceof StoreError)) throw cause;
        onBrokenRow(cause);
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return total;
    after = last.id;
  }
}
