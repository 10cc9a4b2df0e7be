import type { StartedBy } from "@/lib/protocol/http";
import { type ChatDeps, chat } from "@/lib/server/conversations/chat";
import type { Env } from "@/lib/server/env";
import { localUser } from "@/lib/server/ids";
import { asPerson } from "@/lib/server/loop/run-deps";
import { chainOf } from "@/lib/store/run-chain";
import type { ScheduleRow, ScheduleStart } from "@/lib/store/schedule-ports";
import type { RunRow } from "@/lib/store/types";

export type AskingDeps = Omit<ChatDeps, "env"> & {
  env: ChatDeps["env"] & Pick<Env, "AUTH">;
};

/** Asks it as its owner, in a new conversation. Where the schedule is not as `start` says any more, nothing is stored and it rejects. */
export async function ask(
  deps: AskingDeps,
  { id, userId, errand, timing }: ScheduleRow,
  text: string,
  start: Omit<ScheduleStart, "id">,
): Promise<RunRow> {
  const startedBy: StartedBy = { kind: timing ? "schedule" : "trigger", id, name: errand.name };
  // The text is given with what a call has filled in.
  const { name: _name, text: _text, budget, ...answering } = errand;
  const release = deps.pool.hold(userId);
  try {
    return await chat(asPerson(deps, userId), userId, {
      ...answering,
      message: { text },
      options: { budget },
      startedBy,
      schedule: { id, ...start },
    });
  } finally {
    release();
  }
}

/** Whether there is somebody to ask for: not who was deleted, or may not sign in. */
export async function mayAsk({ env, store }: AskingDeps, userId: string): Promise<boolean> {
  if (env.AUTH === "local") return userId === localUser;
  const person = await store.accounts.person(userId);
  return person !== undefined && !person.disabled;
}

/**
 * By the id of its first run, the newest run of the answer that each has begun last; none before the first one, and where it was
 * deleted. Two queries, however many there are.
 */
export async function lastRunsOf(
  { store }: Pick<AskingDeps, "store">,
  rows: readonly Pick<ScheduleRow, "lastRunId">[],
): Promise<Map<string | null, RunRow>> {
  const firsts = await store.runs.many(rows.flatMap(({ lastRunId }) => lastRunId ?? []));
  const answers = await store.runs.ofMessages(firsts);
  return new Map(firsts.map((first) => [first.id, chainOf(answers, first.id).at(-1) ?? first]));
}

export const lastRunOf = async (
  deps: Pick<AskingDeps, "store">,
  row: Pick<ScheduleRow, "lastRunId">,
): Promise<RunRow | undefined> => (await lastRunsOf(deps, [row])).get(row.lastRunId);
