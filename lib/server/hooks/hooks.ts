import type { z } from "zod";
import { type HookDelivery, type HookItem, maxHooks, type NewHook } from "@/lib/protocol/hooks";
import type { Page } from "@/lib/protocol/http";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { PageQuery } from "@/lib/server/contract/fields";
import type { HookBody, HookPatch } from "@/lib/server/contract/hooks";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { newId } from "@/lib/server/ids";
import type { DeliveryCounts, DeliveryRow } from "@/lib/store/hook-ports";
import { checkHookUrl } from "./check-hook-url";
import { newHookSecret } from "./sign-hook";
import { changeHooks, type OpenHook, readHooks } from "./stored-hooks";

type HookDeps = Pick<BaseDeps, "env" | "store" | "secrets">;

const dayMs = 24 * 60 * 60_000;
/** Of its secret, shown in the list. */
const secretEndLength = 2;
const none: DeliveryCounts = { arrived: 0, failed: 0, waiting: 0 };

export async function listHooks(deps: HookDeps, { id: userId }: Person): Promise<Page<HookItem>> {
  const counts = await deps.store.hookDeliveries.counts(userId, Date.now() - dayMs);
  const hooks = await readHooks(deps, userId);
  return { items: hooks.map((hook) => toItem(hook, counts.get(hook.id))), nextCursor: null };
}

export async function addHook(
  deps: HookDeps,
  person: Person,
  { url, events }: z.output<typeof HookBody>,
): Promise<NewHook> {
  const hook: OpenHook = {
    ...{ id: newId(), url: checkHookUrl(deps.env, person, url), events, enabled: true, off: null },
    ...{ createdAt: Date.now(), secret: newHookSecret() },
  };
  await changeHooks(deps, person.id, (hooks) => {
    if (hooks.length >= maxHooks)
      throw new HttpError(409, "too_many", `You may have at most ${maxHooks} hooks; delete one first.`);
    return [...hooks, hook];
  });
  return { ...toItem(hook), secret: hook.secret };
}

export async function patchHook(
  deps: HookDeps,
  person: Person,
  id: string,
  { url, events, enabled }: z.output<typeof HookPatch>,
): Promise<HookItem> {
  const change = {
    ...(url !== undefined && { url: checkHookUrl(deps.env, person, url) }),
    ...(events && { events }),
    ...(enabled !== undefined && { enabled, off: null }),
  };
  await changeHooks(deps, person.id, (hooks) => {
    found(hooks, id);
    return hooks.map((hook) => (hook.id === id ? { ...hook, ...change } : hook));
  });
  if (enabled === false) await deps.store.hookDeliveries.stop(id);
  const counts = await deps.store.hookDeliveries.counts(person.id, Date.now() - dayMs);
  return toItem(found(await readHooks(deps, person.id), id), counts.get(id));
}

export async function removeHook(deps: HookDeps, { id: userId }: Person, id: string): Promise<void> {
  await changeHooks(deps, userId, (hooks) => {
    found(hooks, id);
    return hooks.filter((hook) => hook.id !== id);
  });
  await deps.store.hookDeliveries.deleteOf(id);
}

/** Of a hook that is switched off too: that is when a person tries it. */
export async function testHook(
  deps: HookDeps,
  { id: userId }: Person,
  hookId: string,
): Promise<HookDelivery> {
  found(await readHooks(deps, userId), hookId);
  const now = Date.now();
  const row: DeliveryRow = {
    ...{ id: `msg_${newId()}`, userId, hookId, event: "hook.test", runId: null, conversationId: null },
    ...{ state: "waiting", createdAt: now, attempts: 0, nextAt: now, last: null },
  };
  if (!(await deps.store.hookDeliveries.add(row)))
    throw new HttpError(409, "too_many", "Too much waits for this hook; try again when it has been sent.");
  return toDelivery(row);
}

export async function listDeliveries(
  deps: HookDeps,
  { id: userId }: Person,
  hookId: string,
  { limit, cursor }: z.output<typeof PageQuery>,
): Promise<Page<HookDelivery>> {
  found(await readHooks(deps, userId), hookId);
  const page = { limit, ...(cursor && { cursor }) };
  const { items, nextCursor } = await deps.store.hookDeliveries.list({ userId, hookId }, page);
  return { items: items.map(toDelivery), nextCursor };
}

/** Under the id that it had: a receiver that has it already can tell. */
export async function sendAgain(
  deps: HookDeps,
  { id: userId }: Person,
  { hookId, id }: { hookId: string; id: string },
): Promise<HookDelivery> {
  if (!found(await readHooks(deps, userId), hookId).enabled)
    throw new HttpError(409, "hook_off", "This hook is switched off; switch it on, then send it again.");
  return toDelivery(await deps.store.hookDeliveries.again({ userId, hookId }, id, Date.now()));
}

function found(hooks: readonly OpenHook[], id: string): OpenHook {
  const hook = hooks.find((each) => each.id === id);
  if (!hook) throw notFound("hook");
  return hook;
}

const toItem = (hook: OpenHook, lastDay = none): HookItem => ({
  ...{ id: hook.id, url: hook.url, events: [...hook.events], enabled: hook.enabled },
  off: hook.off && { reason: hook.off.reason, at: timeOf(hook.off.at) },
  secretEnd: hook.secret.replace(/=+$/, "").slice(-secretEndLength),
  createdAt: timeOf(hook.createdAt),
  lastDay,
});

const toDelivery = ({ last, ...row }: DeliveryRow): HookDelivery => ({
  ...{ id: row.id, event: row.event, runId: row.runId, state: row.state, attempts: row.attempts },
  createdAt: timeOf(row.createdAt),
  nextAt: row.nextAt === null ? null : timeOf(row.nextAt),
  last: last && { ...last, at: timeOf(last.at) },
});

const timeOf = (at: number): string => new Date(at).toISOString();
