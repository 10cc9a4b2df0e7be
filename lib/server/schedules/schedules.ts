import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import {
  type Errand,
  type ErrandItem,
  type Schedule,
  type ScheduleNote,
  scheduleLimits,
  type Timing,
} from "@/lib/protocol/schedules";
import { findAgent } from "@/lib/server/agents/agents";
import type { ScheduleBody, SchedulePatch, TimesQuery } from "@/lib/server/contract/schedules";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import { newId } from "@/lib/server/ids";
import { cronProblemInWords, nextTimes } from "@/lib/server/next-time";
import { chooseModel } from "@/lib/server/settings/choose-model";
import type { ScheduleRow } from "@/lib/store/schedule-ports";
import type { RunRow } from "@/lib/store/types";
import { type AskingDeps, ask, lastRunOf, lastRunsOf } from "./ask";

export interface ScheduleDeps extends AskingDeps {
  /** Told what is due from now on. */
  scheduler: { wake(): Promise<void> };
}

const shownTimes = 3;

/** The next times of what a schedule could have, as `nextTimes` tells them; 400 where it could not. */
export function timesOf({ cron, timeZone }: z.output<typeof TimesQuery>): { nextTimes: string[] } {
  checkCron(cron, timeZone);
  return { nextTimes: nextTimes({ cron, timeZone }, Date.now(), shownTimes).map(toIso) };
}

function checkCron(cron: string, timeZone: string): void {
  const message = cronProblemInWords(cron, timeZone);
  if (message)
    throw new HttpError(400, "invalid_input", `cron: ${message}.`, { issues: [{ path: "cron", message }] });
}

/** All of them: they are few. */
export async function listSchedules(deps: ScheduleDeps, userId: string): Promise<Page<Schedule>> {
  const rows = await deps.store.schedules.list(userId, "schedule");
  const last = await lastRunsOf(deps, rows);
  return { items: rows.map((row) => toSchedule(row, last.get(row.lastRunId))), nextCursor: null };
}

export async function addSchedule(
  deps: ScheduleDeps,
  userId: string,
  { cron, timeZone, missed, enabled, ...errand }: z.output<typeof ScheduleBody>,
): Promise<Schedule> {
  const timing: Timing = { cron, timeZone, missed };
  await checkErrand(deps, userId, errand);
  const row: ScheduleRow = {
    ...{ id: newId(), userId, tokenHash: null, errand, timing },
    ...{ nextAt: enabled ? nextOf(timing) : null, lastRunId: null, note: null, createdAt: Date.now() },
  };
  if (!(await deps.store.schedules.add(row, scheduleLimits.count))) throw full("schedules");
  void deps.scheduler.wake();
  return toSchedule(row);
}

/** A changed time counts from now on: what was due before by the old one is not asked any more. */
export async function patchSchedule(
  deps: ScheduleDeps,
  userId: string,
  id: string,
  { cron, timeZone, missed, enabled, ...patch }: z.output<typeof SchedulePatch>,
): Promise<Schedule> {
  const known = await findSchedule(deps, userId, id);
  const timingAfter = (before: ScheduleRow): Timing => {
    const was = timingOf(before);
    return { cron: cron ?? was.cron, timeZone: timeZone ?? was.timeZone, missed: missed ?? was.missed };
  };
  const asked = timingAfter(known);
  checkCron(asked.cron, asked.timeZone);
  // What it names may be gone: it can be switched off all the same.
  if (enabled || Object.keys(patch).length > 0)
    await checkErrand(deps, userId, changedErrand(known.errand, patch));
  const change = (before: ScheduleRow) => {
    const timing = timingAfter(before);
    const isOn = enabled ?? before.nextAt !== null;
    const isSame = timing.cron === before.timing?.cron && timing.timeZone === before.timing.timeZone;
    const nextAt = !isOn ? null : isSame && before.nextAt !== null ? before.nextAt : nextOf(timing);
    const note = isOn && before.nextAt === null ? null : before.note;
    return { errand: changedErrand(before.errand, patch), timing, nextAt, note };
  };
  const row = await deps.store.schedules.update(userId, "schedule", id, change);
  if (!row) throw notFound("schedule");
  void deps.scheduler.wake();
  return toSchedule(row, await lastRunOf(deps, row));
}

export async function removeSchedule({ store }: ScheduleDeps, userId: string, id: string): Promise<void> {
  if (!(await store.schedules.delete(userId, "schedule", id))) throw notFound("schedule");
}

/** Asks now, beside its times; 409 while its last run goes on or waits. */
export async function runSchedule(
  deps: ScheduleDeps,
  userId: string,
  id: string,
): Promise<{ runId: string; conversationId: string }> {
  const row = await findSchedule(deps, userId, id);
  const last = await lastRunOf(deps, row);
  if (last?.status === "running" || last?.status === "waiting") throw active({ runId: last.id });
  try {
    const run = await ask(deps, row, row.errand.text, { after: row.lastRunId, note: null });
    return { runId: run.id, conversationId: run.conversationId };
  } catch (cause) {
    const isTaken = isConflict(cause) || (cause instanceof HttpError && cause.code === "run_active");
    throw isTaken ? active() : cause;
  }
}

const active = (details?: { runId: string }) =>
  new HttpError(
    409,
    "run_active",
    "The last run of this schedule has not ended; wait for it, answer it or stop it.",
    details,
  );

async function findSchedule({ store }: ScheduleDeps, userId: string, id: string): Promise<ScheduleRow> {
  const row = await store.schedules.get(userId, "schedule", id);
  if (!row) throw notFound("schedule");
  return row;
}

/** What is absent stays as it was, and null takes a field away. */
export function changedErrand(
  before: Errand,
  patch: { [Field in keyof Errand]?: Errand[Field] | null },
): Errand {
  const fields = Object.entries({ ...before, ...patch });
  return Object.fromEntries(fields.filter(([, value]) => value !== null)) as unknown as Errand;
}

/** Refuses what is not there now, so that it is seen by a person and not at night. */
export async function checkErrand(
  deps: AskingDeps,
  userId: string,
  { model, assistant, agent, projectId }: Errand,
): Promise<void> {
  if (agent !== undefined && (model ?? assistant) !== undefined)
    throw new HttpError(
      400,
      "invalid_input",
      "agent: goes without model and assistant; name who answers once.",
    );
  if (model !== undefined) await chooseModel(deps, userId, model);
  if (agent !== undefined) await findAgent(deps, agent);
  if (assistant !== undefined && !(await deps.store.assistants.get(userId, assistant)))
    throw notFound("assistant");
  if (projectId !== undefined && !(await deps.store.projects.get(userId, projectId)))
    throw notFound("project");
}

export const full = (what: "schedules" | "triggers") =>
  new HttpError(
    400,
    "too_many",
    what === "schedules"
      ? `You may have ${scheduleLimits.count} schedules; delete one first.`
      : `You may have ${scheduleLimits.count} triggers; delete one first.`,
  );

function timingOf({ id, timing }: ScheduleRow): Timing {
  if (!timing) throw new Error(`Schedule ${id} has no timing.`);
  return timing;
}

const nextOf = (timing: Timing): number | null => nextTimes(timing, Date.now(), 1)[0] ?? null;

const toIso = (at: number): string => new Date(at).toISOString();

function toSchedule(row: ScheduleRow, last?: RunRow): Schedule {
  const timing = timingOf(row);
  return {
    ...toErrandItem(row, last),
    ...timing,
    enabled: row.nextAt !== null,
    nextRunAt: row.nextAt === null ? null : toIso(row.nextAt),
    nextTimes: nextTimes(timing, Date.now(), shownTimes).map(toIso),
  };
}

/** What a schedule and a trigger have in common; `last` is the newest run of the last answer. */
export const toErrandItem = (row: ScheduleRow, last?: RunRow): ErrandItem => ({
  id: row.id,
  ...row.errand,
  lastRunId: row.lastRunId,
  lastRun: last
    ? {
        ...{ id: last.id, conversationId: last.conversationId, status: last.status },
        startedAt: toIso(last.startedAt),
        endedAt: last.endedAt === null ? null : toIso(last.endedAt),
      }
    : null,
  note: row.note && toNote(row.note),
  createdAt: toIso(row.createdAt),
});

const toNote = ({ at, ...note }: ScheduleNote) => ({ ...note, at: toIso(at) });
