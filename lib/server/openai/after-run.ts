import { setTimeout as sleep } from "node:timers/promises";
import type { AgenticLoopResult, PendingRequest } from "@/lib/protocol/chunk";
import { statusAfter } from "@/lib/protocol/run-status";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { toListedRun } from "@/lib/server/runs/run-item";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { RunRow } from "@/lib/store/types";

/** What comes after a run: the one that continues it, or why there is no answer; undefined where the answer is complete. */
export type AfterRun = { next: RunRow } | { error: HttpError } | undefined;

/** How long a person is waited for, ms; nothing: the answer fails at once. */
export interface Patience {
  waitMs: number;
}

export async function afterRun(
  deps: RunDeps,
  row: RunRow,
  result: AgenticLoopResult | undefined,
  patience: Patience,
  left: AbortSignal,
): Promise<AfterRun> {
  if (!result) return { error: brokenOff() };
  if (statusAfter(result.stopReason) === "waiting") return afterWaiting(deps, row, patience, left);
  if (result.stopReason === "error") return { error: errorOf(result.error) };
  if (result.stopReason === "interrupted") return { error: brokenOff() };
  return result.stopReason === "aborted" ? { error: stopped() } : undefined;
}

/** Between two looks, in ms. An answer may come to another instance, so that the database is asked. */
const lookMs = 250;

async function afterWaiting(
  deps: RunDeps,
  row: RunRow,
  patience: Patience,
  left: AbortSignal,
): Promise<AfterRun> {
  const since = performance.now();
  const { pending } = await toListedRun(deps, row);
  try {
    while (performance.now() - since < patience.waitMs) {
      const next = await nextOf(deps, row);
      if (next) return next;
      await sleep(lookMs, undefined, { signal: left, ref: false });
    }
  } finally {
    patience.waitMs = Math.max(0, patience.waitMs - (performance.now() - since));
  }
  const next = await nextOf(deps, row);
  if (next) return next;
  await stopRun(deps, row);
  return { error: needsPerson(pending[0]) };
}

/** The run that goes on with the answers of a person; undefined while it waits. */
async function nextOf(
  { store }: RunDeps,
  { id, userId, conversationId, messageId }: RunRow,
): Promise<AfterRun> {
  const now = await store.runs.get(userId, id);
  if (now?.status === "waiting") return undefined;
  const next = (await store.runs.ofMessage(conversationId, messageId)).find(
    ({ continues }) => continues === id,
  );
  return next ? { next } : { error: stopped() };
}

function needsPerson(asked: PendingRequest | undefined): HttpError {
  const [code, message] = asked ? wordsOf(asked) : ["approval_required", "A person has to answer first."];
  return new HttpError(403, code, message);
}

const how =
  "open the run in Meguri, or use an API token with onApproval: wait, and answer there while it waits";

function wordsOf(asked: PendingRequest): [code: string, message: string] {
  switch (asked.type) {
    case "approval_request":
      return [
        "approval_required",
        `The call of ${asked.call.name} needs the approval of a person, and nobody has given it: allow the tool by a rule in Meguri's settings, or use an API token with onApproval: wait, and answer while it waits.`,
      ];
    case "input_request":
      return asked.reason === "login"
        ? [
            "login_required",
            `The server ${asked.server} needs a sign-in: sign in to it in Meguri's settings, then ask again.`,
          ]
        : [
            "input_required",
            `The server ${asked.server} asks for something that only a person can enter: ${how}.`,
          ];
    case "budget_request":
      return [
        "budget_used_up",
        `The budget of this answer is used up (${asked.limit}): raise it in Meguri's settings, then ask again.`,
      ];
    case "step_request":
      return ["approval_required", `Each step of this answer waits for a person: ${how}.`];
  }
}

const brokenOff = () =>
  new HttpError(503, "interrupted", "The server was stopped while it answered; ask again.", undefined, 5);

const stopped = () => new HttpError(403, "stopped", "A person has stopped this answer.");

/** By the codes of a provider's and of a run's errors. */
const statuses: Readonly<Record<string, number>> = {
  context_overflow: 400,
  rate_limited: 429,
  day_limit: 429,
  unavailable: 503,
  timeout: 504,
  auth: 502,
  bad_response: 502,
  internal: 500,
  not_stored: 503,
};

function errorOf(error: AgenticLoopResult["error"]): HttpError {
  const { code = "internal", message = "Something went wrong on our side.", retryAt } = error ?? {};
  const seconds = retryAt === undefined ? undefined : Math.max(1, Math.ceil((retryAt - Date.now()) / 1000));
  return new HttpError(statuses[code] ?? 500, code, message, undefined, seconds);
}
