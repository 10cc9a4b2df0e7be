import type { z } from "zod";
import type { PersonItem, SessionItem } from "@/lib/protocol/accounts";
import type { Page } from "@/lib/protocol/http";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { PersonPatch } from "@/lib/server/contract/accounts";
import type { PageQuery } from "@/lib/server/contract/fields";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import type { PersonRow } from "@/lib/store/account-ports";
import type { Accounts } from "./accounts";
import type { Limits } from "./person-limits";
import { stopWork, type WorkDeps } from "./stop-work";

type PeopleDeps = Pick<BaseDeps, "store" | "log"> & { accounts: Accounts };
type ChangeDeps = PeopleDeps & WorkDeps & { limits: Limits };
type DeletionDeps = ChangeDeps & { retention: { wake(): Promise<void> } };

export async function listPeople(
  deps: PeopleDeps & { limits: Limits },
  { limit, cursor }: z.output<typeof PageQuery>,
): Promise<Page<PersonItem>> {
  const { items, nextCursor } = await deps.store.accounts.people({ limit, ...(cursor && { cursor }) });
  return { items: await Promise.all(items.map((row) => toPersonItem(deps, row))), nextCursor };
}

/** Who is disabled is signed out everywhere and loses their API tokens, and what they had running stops. */
export async function changePerson(
  deps: ChangeDeps,
  id: string,
  patch: z.output<typeof PersonPatch>,
): Promise<PersonItem> {
  const changed = await deps.store.accounts.changePerson(id, patch);
  deps.limits.forget(id);
  if (!changed) throw notFound("person");
  if (changed === "last_admin") throw lastAdmin();
  if (patch.role) deps.accounts.roles.set(id, changed.role);
  // What an admin follows, such as the log of a server, is not for a member.
  if (patch.role === "member") {
    const { ends } = deps.accounts;
    ends.cut(id);
    // What was let in just before has begun by then.
    setTimeout(() => ends.cut(id), lookAgainMs).unref();
  }
  if (patch.role) await deps.pool.applyRole(id);
  if (patch.disabled) await shutOut(deps, id);
  return toPersonItem(deps, changed);
}

/**
 * The account is gone when this resolves, and with it every session, invitation and shared link; what they have written goes
 * after it (`purgePeople`), also where the process dies.
 */
export async function deletePerson(
  deps: DeletionDeps,
  { id: selfId }: Person,
  id: string,
): Promise<{ email: string }> {
  if (id === selfId)
    throw new HttpError(409, "own_account", "You cannot delete your own account; ask another admin.");
  const begun = await deps.store.deletedPeople.begin(id, Date.now());
  if (!begun) throw notFound("person");
  if (begun === "last_admin") throw lastAdmin();
  deps.limits.forget(id);
  deps.accounts.roles.forget(id);
  await shutOut(deps, id);
  void deps.retention.wake();
  return { email: begun.email };
}

/** By which time what was let in just before has begun. */
const lookAgainMs = 300;

const lastAdmin = () =>
  new HttpError(
    409,
    "last_admin",
    "This is the only admin who can sign in; make somebody else an admin first.",
  );

/** It is done in the database already, so that what fails of the rest is logged, and tried once more. */
async function shutOut(deps: ChangeDeps, userId: string): Promise<void> {
  const { store, accounts, log } = deps;
  const failed = (err: unknown) => log.error({ err }, "not all that a person had running was stopped");
  const end = async () => {
    // Before what they opened ends: with a token they would open it again.
    await store.tokens.deleteAll(userId);
    await accounts.endSessions(userId, null);
    await stopWork(deps, userId);
  };
  const again = async () => {
    accounts.ends.end(await store.accounts.endBarred(userId));
    // Who was let in again meanwhile has begun anew.
    const person = await store.accounts.person(userId);
    if (person && !person.disabled) return;
    accounts.ends.cut(userId);
    await stopWork(deps, userId);
  };
  await end().catch(failed);
  setTimeout(() => void again().catch(failed), lookAgainMs).unref();
}

/** The address of a page where the person sets a new password; it is shown this once. */
export async function resetLink({ store, accounts }: PeopleDeps, id: string): Promise<{ url: string }> {
  const person = await store.accounts.person(id);
  if (!person) throw notFound("person");
  return { url: await accounts.resetUrl(person) };
}

/** Where this person is signed in. */
export async function listSessions(
  { store }: PeopleDeps,
  { id: userId, sessionId }: Person,
): Promise<Page<SessionItem>> {
  const rows = await store.accounts.sessions(userId);
  const items = rows.map(
    ({ id, createdAt, lastSeenAt, agent }): SessionItem => ({
      id,
      createdAt: new Date(createdAt).toISOString(),
      lastSeenAt: new Date(lastSeenAt).toISOString(),
      agent,
      current: id === sessionId,
    }),
  );
  return { items, nextCursor: null };
}

export async function endSession({ accounts }: PeopleDeps, person: Person, id: string): Promise<void> {
  if (!(await accounts.endSession(person.id, id))) throw notFound("session");
}

async function toPersonItem({ limits }: { limits: Limits }, person: PersonRow): Promise<PersonItem> {
  const { createdAt, lastSeenAt, ...row } = person;
  const { tokens, cost } = await limits.usedToday(row.id);
  return {
    ...row,
    createdAt: new Date(createdAt).toISOString(),
    lastSeenAt: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
    inForce: limits.inForce(row),
    today: { tokens, cost },
  };
}
