import { ChosenContext } from "@/lib/agent/chosen-context";
import { tokensOfTurn } from "@/lib/agent/estimate-tokens";
import type { Turn } from "@/lib/agent/ports";
import type { LedgerPart } from "@/lib/protocol/ledger";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { MessageRow } from "@/lib/store/types";

/** An estimate is not wrong by more: the request was another one then. */
const mostWrong = 2;

export interface ScaleBasis {
  userId: string;
  model: string;
  rows: readonly MessageRow[];
  /** From so many tokens on a request is made shorter. */
  limit: number | null;
  around: Pick<Turn, "system" | "tools">;
}

/** What the provider counted for the newest answer of this model, divided by what we take that request for; 1 where it has not. */
export async function scaleOf(
  { store }: Pick<RunDeps, "store">,
  { userId, model, rows, limit, around }: ScaleBasis,
): Promise<number> {
  const at = rows.findLastIndex(({ message, runId }) => message.role === "assistant" && runId !== null);
  const runId = rows[at]?.runId;
  const run = runId ? await store.runs.get(userId, runId) : undefined;
  const counted = run?.iterations.at(-1)?.usage.inputTokens;
  if (!run || run.model !== model || run.agent !== null || !counted) return 1;
  const before = rows.slice(0, at);
  const chosen = new ChosenContext(run.options.context, before);
  const history = chosen.apply(before.map(({ message }) => message)).messages.map(({ sent }) => sent);
  const estimated = Math.min(tokensOfTurn({ ...around, history }), limit ?? Number.POSITIVE_INFINITY);
  const scale = counted / estimated;
  return scale >= 1 / mostWrong && scale <= mostWrong ? Math.round(scale * 1_000) / 1_000 : 1;
}

export function scaled(part: LedgerPart, scale: number): LedgerPart {
  if (scale === 1) return part;
  const [tokens, full] = [Math.round(part.tokens * scale), Math.round(part.full * scale)];
  return { ...part, tokens, full, state: typeof part.state === "object" ? { trimmed: tokens } : part.state };
}
