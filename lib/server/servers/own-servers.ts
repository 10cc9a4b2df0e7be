import type { McpServerConfig } from "@/lib/protocol/mcp";
import { limitMaxima, type PersonLimits } from "@/lib/protocol/person-limits";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { leavePresets } from "@/lib/server/settings/presets";
import { forgetRequests } from "@/lib/server/settings/saved-requests";
import { forgetRules } from "@/lib/server/settings/tool-rules";
import { checkOwnEntry } from "./check-own-entry";
import { loginsOf } from "./logins";
import type { ServerDeps } from "./servers";

export type OwnDeps = ServerDeps &
  Pick<BaseDeps, "store" | "secrets"> & { limits: { of(userId: string): Promise<PersonLimits> } };

/** Throws where a person may not have one of these entries. */
export function checkOwnServers(servers: readonly { name: string; config: McpServerConfig }[]): void {
  for (const { name, config } of servers) checkOwnEntry(name, config);
}

/** Adds servers that only this person has; all of them or none. */
export async function addOwnServers(
  deps: OwnDeps,
  userId: string,
  servers: readonly { name: string; config: McpServerConfig }[],
): Promise<void> {
  checkOwnServers(servers);
  const { servers: most = limitMaxima.servers } = await deps.limits.of(userId);
  await deps.ownEntries?.change(userId, (entries) => {
    for (const { name, config } of servers) {
      // Those of the operator too: a name means one server.
      if (entries.has(name) || deps.pool.server(name))
        throw new HttpError(409, "exists", `There is a server called ${name} already. Choose another name.`);
      entries.set(name, config);
    }
    if (entries.size > most)
      throw new HttpError(
        409,
        "too_many",
        `You may have at most ${most} servers of your own; remove one first, or ask an admin for more.`,
      );
  });
  // What an earlier one of this name has left is not for this one.
  for (const { name } of servers) await forgetOwn(deps, userId, name);
  deps.pool.applyOwn();
}

export async function removeOwnServer(deps: OwnDeps, userId: string, name: string): Promise<void> {
  await deps.ownEntries?.change(userId, (entries) => {
    if (!entries.delete(name)) throw notFound("server");
  });
  deps.pool.applyOwn();
  // Where the operator's has taken its place, what is kept under the name is for that one.
  if (!deps.pool.server(name)) await forgetOwn(deps, userId, name);
}

/** Deletes what a person has kept under the name of a server; `deps` with the servers as this person has them. */
export async function forgetOwn(deps: OwnDeps, userId: string, name: string): Promise<void> {
  await deps.pool.forgetOwn(name);
  await deps.peopleSecrets?.of(userId).forget(name);
  await loginsOf(deps, userId).delete(name);
  await forgetRules(deps, userId, name);
  await leavePresets(deps, userId, name);
  await forgetRequests(deps, userId, name);
}
