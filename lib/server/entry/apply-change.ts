import { type Limits, limitsKey } from "@/lib/server/accounts/person-limits";
import type { Roles } from "@/lib/server/accounts/roles";
import type { SessionEnds } from "@/lib/server/accounts/session-ends";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { LiveRuns } from "@/lib/server/loop/live-runs";
import { serverOfLogin } from "@/lib/server/servers/logins";
import { type OwnEntries, ownEntriesKey } from "@/lib/server/servers/own-entries";
import { type PeopleSecrets, type ServerSecrets, secretsKey } from "@/lib/server/servers/server-secrets";
import type { LiveProviders } from "@/lib/server/settings/live-providers";
import { providerKeys } from "@/lib/server/settings/provider-access";
import type { SharedFolder } from "@/lib/server/shared-folder";
import type { Change } from "@/lib/store/bus";
import type { Emptied } from "./emptied";

/** What is kept in memory. With `AUTH=local` there are no roles, and nothing of people. */
export interface FollowDeps extends Pick<BaseDeps, "store" | "pool" | "log"> {
  providers: LiveProviders;
  serverSecrets: ServerSecrets;
  peopleSecrets: PeopleSecrets | undefined;
  ownEntries: OwnEntries | undefined;
  limits: Limits;
  ends: SessionEnds;
  runs: Pick<LiveRuns, "all">;
  roles: Roles | undefined;
  emptied: Pick<Emptied, "follow">;
  agentFiles: Pick<SharedFolder, "look"> | undefined;
  skillFiles: Pick<SharedFolder, "look"> | undefined;
  temporary: { endAll(): Promise<void> };
  /** Ends what a person has running here. */
  stopWork(userId: string): Promise<void>;
}

/** Owner of what holds for everybody. */
const system = "system";
const pageSize = 100;
/** By which time what was let in just before has begun. */
const lookAgainMs = 300;

/** Brings what this process has in memory in line with what another one has changed. */
export async function applyChange(deps: FollowDeps, change: Change): Promise<void> {
  switch (change.kind) {
    case "setting":
      return change.owner === system ? applyShared(deps, change.key) : applyOwn(deps, change);
    case "person":
      return applyPerson(deps, change.id);
    case "session":
      return deps.ends.end([change.id]);
    case "usage":
      return deps.limits.forgetToday(change.id);
    case "servers":
      return applyDocuments(deps);
    case "everything":
      return applyAll(deps);
  }
}

async function applyShared(deps: FollowDeps, key: string): Promise<void> {
  const { limits, providers, pool } = deps;
  const login = serverOfLogin(key);
  if (key === limitsKey) await limits.reread();
  else if (key === secretsKey) pool.others.ofSecrets(undefined, await deps.serverSecrets.reload());
  else if (providerKeys.includes(key)) await providers.reload();
  else if (login !== undefined) await pool.others.ofLogin(undefined, login);
}

async function applyOwn(deps: FollowDeps, { owner, key }: { owner: string; key: string }): Promise<void> {
  const { pool, peopleSecrets, ownEntries } = deps;
  const login = serverOfLogin(key);
  if (key === secretsKey && peopleSecrets)
    pool.others.ofSecrets(owner, await peopleSecrets.of(owner).reload());
  else if (key === ownEntriesKey && ownEntries) {
    await ownEntries.reload(owner);
    pool.others.ofPerson(owner);
  } else if (login !== undefined) await pool.others.ofLogin(owner, login);
}

/** Their role, their limits, or whether they may be here at all. */
async function applyPerson(deps: FollowDeps, id: string): Promise<void> {
  const { roles, ends } = deps;
  deps.limits.forget(id);
  if (!roles) return;
  const person = await deps.store.accounts.person(id);
  const before = roles.of(id);
  if (person) roles.set(id, person.role);
  else roles.forget(id);
  if (person?.role !== before) deps.pool.others.ofPerson(id);
  // What an admin follows, such as the log of a server, is not for a member.
  if (before === "admin" && person?.role !== "admin") {
    ends.cut(id);
    setTimeout(() => ends.cut(id), lookAgainMs).unref();
  }
  if (person && !person.disabled) return;
  ends.endAll(id);
  await deps.stopWork(id);
  const failed = (err: unknown) =>
    deps.log.error(
      { err, userId: id },
      "it could not be looked whether a person who is shut out has begun anything",
    );
  setTimeout(() => void shutOutAgain(deps, id).catch(failed), lookAgainMs).unref();
  if (person) return;
  deps.peopleSecrets?.drop(id);
  deps.ownEntries?.drop(id);
}

/** Who was let in again meanwhile has begun anew. */
async function shutOutAgain(deps: FollowDeps, id: string): Promise<void> {
  const person = await deps.store.accounts.person(id);
  if (person && !person.disabled) return;
  deps.ends.cut(id);
  await deps.stopWork(id);
}

async function applyAll(deps: FollowDeps): Promise<void> {
  const { store, ends, limits, pool, serverSecrets, peopleSecrets, ownEntries } = deps;
  ends.end(await store.accounts.endedOf(ends.known()));
  await deps.emptied.follow(deps);
  limits.forgetAll();
  await limits.reread();
  await applyPeople(deps);
  await deps.providers.reloadChanged();
  pool.others.ofSecrets(undefined, await serverSecrets.reload());
  for (const person of (await peopleSecrets?.people()) ?? [])
    await applyOwn(deps, { owner: person, key: secretsKey });
  for (const person of (await ownEntries?.people()) ?? [])
    await applyOwn(deps, { owner: person, key: ownEntriesKey });
  await pool.others.ofLogins();
  await applyDocuments(deps);
}

async function applyDocuments({ pool, agentFiles, skillFiles }: FollowDeps): Promise<void> {
  await pool.lookForChanges();
  await agentFiles?.look();
  await skillFiles?.look();
}

async function applyPeople(deps: FollowDeps): Promise<void> {
  const { roles, runs, store } = deps;
  if (!roles) return;
  const gone = new Set(roles.known());
  let cursor: string | null = null;
  do {
    const page = await store.accounts.people({ limit: pageSize, ...(cursor !== null && { cursor }) });
    for (const { id, role, disabled } of page.items) {
      gone.delete(id);
      const isRunning = runs.all().some(({ row }) => row.userId === id);
      if (role !== roles.of(id) || (disabled && isRunning)) await applyPerson(deps, id);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  for (const id of gone) await applyPerson(deps, id);
}
