import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import { scheduleLimits, type Trigger } from "@/lib/protocol/schedules";
import { withoutInvisible } from "@/lib/protocol/show-invisible";
import { maxText } from "@/lib/server/contract/fields";
import type { TriggerBody, TriggerPatch } from "@/lib/server/contract/schedules";
import { type Env, publicUrl } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { isDuplicate } from "@/lib/server/http/store-failure";
import { newId } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";
import type { ScheduleRow, ScheduleStart } from "@/lib/store/schedule-ports";
import { type AskingDeps, ask, lastRunOf, lastRunsOf, mayAsk } from "./ask";
import { changedErrand, checkErrand, full, toErrandItem } from "./schedules";

const keyKeptMs = 24 * 3_600_000;
/** Questions of one trigger within a minute. */
const mostAMinute = 30;
const minuteMs = 60_000;

export async function listTriggers(deps: AskingDeps, userId: string): Promise<Page<Trigger>> {
  const rows = await deps.store.schedules.list(userId, "trigger");
  const last = await lastRunsOf(deps, rows);
  return { items: rows.map((row) => toErrandItem(row, last.get(row.lastRunId))), nextCursor: null };
}

/** Its address is given this once: what is stored of it is a hash. */
export async function addTrigger(
  deps: AskingDeps & { env: Pick<Env, "PORT" | "PUBLIC_URL"> },
  userId: string,
  errand: z.output<typeof TriggerBody>,
): Promise<Trigger> {
  await checkErrand(deps, userId, errand);
  const token = `mgt_${randomBytes(32).toString("base64url")}`;
  const row: ScheduleRow = {
    ...{ id: newId(), userId, tokenHash: hash(token), errand, timing: null },
    ...{ nextAt: null, lastRunId: null, note: null, createdAt: Date.now() },
  };
  if (!(await deps.store.schedules.add(row, scheduleLimits.count))) throw full("triggers");
  return { ...toErrandItem(row), url: `${publicUrl(deps.env)}/api/triggers/${token}` };
}

/** Its address stays; a call that has begun asks as it was. */
export async function patchTrigger(
  deps: AskingDeps,
  userId: string,
  id: string,
  patch: z.output<typeof TriggerPatch>,
): Promise<Trigger> {
  const { schedules } = deps.store;
  const known = await schedules.get(userId, "trigger", id);
  if (!known) throw notFound("trigger");
  if (Object.keys(patch).length > 0) await checkErrand(deps, userId, changedErrand(known.errand, patch));
  const row = await schedules.update(userId, "trigger", id, ({ errand, timing, nextAt, note }) => ({
    ...{ timing, nextAt, note },
    errand: changedErrand(errand, patch),
  }));
  if (!row) throw notFound("trigger");
  return toErrandItem(row, await lastRunOf(deps, row));
}

export async function removeTrigger({ store }: AskingDeps, userId: string, id: string): Promise<void> {
  if (!(await store.schedules.delete(userId, "trigger", id))) throw notFound("trigger");
}

/**
 * Asks for whoever has the address. The same `Idempotency-Key` again, within a day, gives the run that it began. One that is
 * unknown and one whose owner may not sign in are answered alike.
 */
export async function callTrigger(
  deps: AskingDeps,
  token: string,
  { key, body }: { key: string | null; body: unknown },
): Promise<{ runId: string }> {
  const row = await deps.store.schedules.byToken(hash(token));
  if (!row || !(await mayAsk(deps, row.userId))) throw notFound("trigger");
  const keyHash = key === null ? undefined : hash(checkKey(key));
  const text = fillText(row.errand.text, body).trim();
  if (text === "") throw nothingAsked();
  // One after another, so that they are counted.
  return deps.turns.run(`trigger:${row.id}`, () => begin(deps, row, text, keyHash));
}

async function begin(
  deps: AskingDeps,
  row: ScheduleRow,
  text: string,
  keyHash: string | undefined,
): Promise<{ runId: string }> {
  const { schedules } = deps.store;
  const now = Date.now();
  const find = async () => keyHash && (await schedules.runOfKey(row.id, keyHash, now - keyKeptMs));
  const known = await find();
  if (known) return { runId: known };
  if ((await schedules.countBegun(row.id, now - minuteMs)) >= mostAMinute) throw tooMany();
  const start: Omit<ScheduleStart, "id"> = {
    note: null,
    ...(keyHash && { key: { hash: keyHash, at: now, keptMs: keyKeptMs } }),
  };
  try {
    return { runId: (await ask(deps, row, text, start)).id };
  } catch (cause) {
    // Another instance was called with the same key.
    const other = isDuplicate(cause) ? await find() : undefined;
    if (other) return { runId: other };
    // It was deleted meanwhile.
    if (cause instanceof HttpError && cause.code === "run_active") throw notFound("trigger");
    throw cause;
  }
}

const nothingAsked = () =>
  new HttpError(
    400,
    "invalid_input",
    "The question is empty with what the body says; send what its text names.",
  );

const tooMany = () =>
  new HttpError(
    429,
    "too_many_calls",
    `A trigger asks ${mostAMinute} times a minute at most; try again in a minute.`,
    undefined,
    60,
  );

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new HttpError(
    400,
    "invalid_input",
    "Idempotency-Key: must be 1 to 255 visible ASCII characters without spaces.",
  );
}

/** `{{body}}`, or a way into it by names and positions. */
const placeholder = /\{\{\s*body((?:\.[\w-]{1,100}){0,20})\s*\}\}/g;

/** The text with what the body says in its placeholders, which nothing is put into again; nothing in place of what is not there. */
export function fillText(text: string, body: unknown): string {
  const pieces: string[] = [];
  // A large body is put into words once for each way into it, also where all of it is invisible.
  const values = new Map<string, string>();
  let end = 0;
  let length = text.length;
  for (const found of text.matchAll(placeholder)) {
    const way = found[1] ?? "";
    const value = values.get(way) ?? withoutInvisible(wordsOf(valueAt(body, way.split(".").slice(1))));
    values.set(way, value);
    length += value.length;
    // Before it is put together: a placeholder can be there a thousand times.
    if (length > maxText) throw tooLong();
    pieces.push(text.slice(end, found.index), value);
    end = found.index + found[0].length;
  }
  return [...pieces, text.slice(end)].join("");
}

const tooLong = () =>
  new HttpError(
    413,
    "body_too_large",
    `The question may have at most ${maxText} characters with what the body puts into it; send less, or use less of it.`,
  );

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
