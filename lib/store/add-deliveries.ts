import type { Kysely, Transaction } from "kysely";
import { v7 } from "uuid";
import { z } from "zod";
import type { HookEvent } from "@/lib/protocol/hooks";
import type { RunOrigin, RunStatus } from "@/lib/protocol/http";
import { keptDeliveries, type StoredHook } from "./hook-ports";
import type { DB } from "./schema";
import { readJson, writeJson } from "./stored-json";

/** Of one hook. More come only where its address has not answered for long. */
const maxWaiting = 200;

const Hooks = z.array(z.object({ id: z.string(), enabled: z.boolean(), events: z.array(z.string()) }));

interface EndedRun {
  id: string;
  conversation_id: string;
  user_id: string;
  origin: RunOrigin | null;
  /** The setting of its person; null for most. */
  hooks: string | null;
}

/** Adds what the hooks of a run's person are told of its end, inside the transaction that stores it. False where there is nothing to tell. */
export async function addDeliveries(
  trx: Transaction<DB>,
  run: EndedRun,
  { status, at }: { status: RunStatus; at: number },
): Promise<boolean> {
  const event = eventOf(status, run.origin);
  if (run.hooks === null || !event) return false;
  const hooks = readHooks(run.hooks).filter(({ enabled, events }) => enabled && events.includes(event));
  for (const { id } of hooks) await addDelivery(trx, run, { hookId: id, event, at });
  return hooks.length > 0;
}

/** None, where the setting cannot be read: a run has its end all the same. */
function readHooks(text: string): StoredHook[] {
  try {
    return readJson<StoredHook[]>("setting hooks", text, Hooks);
  } catch {
    return [];
  }
}

/** What a person has stopped they know of, and each call of an MCP client is too little to be told of. */
function eventOf(status: RunStatus, origin: RunOrigin | null): HookEvent | undefined {
  if (status === "waiting") return "run.waiting";
  if (origin === "gateway") return undefined;
  if (status === "completed") return "run.completed";
  return status === "failed" || status === "interrupted" ? "run.failed" : undefined;
}

async function addDelivery(
  trx: Transaction<DB>,
  run: EndedRun,
  { hookId, event, at }: { hookId: string; event: HookEvent; at: number },
): Promise<void> {
  const isTooMany = await isFull(trx, hookId);
  const full = { at, status: null, error: "full", text: "", tookMs: 0 };
  await trx
    .insertInto("hook_delivery")
    .values({
      ...{ id: `msg_${v7()}`, user_id: run.user_id, hook_id: hookId, event },
      ...{ run_id: run.id, conversation_id: run.conversation_id, created_at: at, attempts: 0 },
      ...{ state: isTooMany ? "failed" : "waiting", next_at: isTooMany ? null : at },
      last: isTooMany ? writeJson(full) : null,
    })
    .execute();
  // Nothing else ends for it that would clear up, and each end of a run counts what waits.
  if (isTooMany) await prune(trx, hookId, keptDeliveries);
}

/** Of what is over of a hook the newest so many stay. */
export async function prune(db: Kysely<DB>, hookId: string, kept: number): Promise<void> {
  const last = await db
    .selectFrom("hook_delivery")
    .select(["created_at", "id"])
    .where("hook_id", "=", hookId)
    .where("next_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .offset(kept)
    .limit(1)
    .executeTakeFirst();
  if (!last) return;
  await db
    .deleteFrom("hook_delivery")
    .where("hook_id", "=", hookId)
    .where("next_at", "is", null)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("created_at", "id"), "<=", tuple(last.created_at, last.id)),
    )
    .execute();
}

/** Whether as many deliveries wait for a hook as may. */
export async function isFull(db: Kysely<DB>, hookId: string): Promise<boolean> {
  const { count } = await db
    .selectFrom("hook_delivery")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("hook_id", "=", hookId)
    .where("next_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(count) >= maxWaiting;
}
