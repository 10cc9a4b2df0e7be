import { setTimeout as wait } from "node:timers/promises";
import type { z } from "zod";
import { hideSecrets } from "@/lib/mcp/config/hide-secrets";
import { restoreMasked } from "@/lib/mcp/config/mask-config";
import type { Page } from "@/lib/protocol/http";
import type { McpDefinitionItem, McpServerConfig, McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { McpLogEvent } from "@/lib/protocol/mcp-offers";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { ApproveBody, SecretsPatch, ServerPatch } from "@/lib/server/contract/servers";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { streamEvents, wantsEvents } from "@/lib/server/http/event-stream";
import { checkAdmin, type Person } from "@/lib/server/http/guard";
import { leavePresets } from "@/lib/server/settings/presets";
import { forgetRequests, requestsKey } from "@/lib/server/settings/saved-requests";
import { forgetRules } from "@/lib/server/settings/tool-rules";
import { checkOwnEntry } from "./check-own-entry";
import { translateConfigError } from "./config-errors";
import { editEntry, isOwnServer } from "./edit-entry";
import type { OwnEntries } from "./own-entries";
import type { PeopleSecrets, ServerSecrets } from "./server-secrets";

export type ServerDeps = Pick<BaseDeps, "pool"> & {
  serverSecrets: ServerSecrets;
  peopleSecrets: PeopleSecrets | undefined;
  /** Undefined with `AUTH=local`. */
  ownEntries: OwnEntries | undefined;
};

/** Throws 403 for a member, unless nobody else has the server. */
export function checkManages(
  deps: Pick<BaseDeps, "pool">,
  person: Pick<Person, "id" | "role">,
  name: string,
): void {
  if (!isOwnServer(deps, { name, userId: person.id })) checkAdmin(person);
}

/** The same, but for definitions: of a server that each has a connection of their own to, everybody accepts for themselves. */
export function checkPatches(
  deps: Pick<BaseDeps, "pool">,
  person: Pick<Person, "id" | "role">,
  { name, patch }: { name: string; patch: object },
): void {
  const isOfDefinitions = Object.keys(patch).every((field) => definitionFields.has(field));
  if (isOfDefinitions) checkOwn(deps, person, name);
  else checkManages(deps, person, name);
}

const definitionFields = new Set(["acceptDefinition", "acceptDefinitions", "blockDefinition"]);

/** Throws 403 where a member would change what everybody shares. */
export function checkOwn(deps: Pick<BaseDeps, "pool">, person: Pick<Person, "role">, name: string): void {
  if (findServer(deps, name).scope === "shared") checkAdmin(person);
}

/** Where the secrets of an entry are: one's own where each person has a connection of their own, else everybody's. */
export const secretsIn = (
  { serverSecrets, peopleSecrets }: ServerDeps,
  scope: McpServerItem["scope"],
  userId: string,
): ServerSecrets => (scope === "user" && peopleSecrets ? peopleSecrets.of(userId) : serverSecrets);

/** A server, and who asks. */
interface Whose {
  name: string;
  userId: string;
}

export const listServers = ({ pool }: Pick<BaseDeps, "pool">): McpServerList => pool.list();

export function findServer({ pool }: Pick<BaseDeps, "pool">, name: string): McpServerItem {
  const item = pool.server(name);
  if (!item) throw notFound("server");
  return item;
}

export async function patchServer(
  deps: ServerDeps,
  { name, userId, isAdmin }: Whose & { isAdmin: boolean },
  patch: z.output<typeof ServerPatch>,
): Promise<McpServerItem> {
  const { owner } = findServer(deps, name);
  return translateConfigError(async () => {
    await decide(deps, { name, forAll: isAdmin && owner === "operator" }, patch);
    const { config, enabled, deferred, tools, encrypt } = patch;
    if (encrypt) await encryptEntry(deps, { name, userId }, (stored) => patchConfig(config ?? stored, patch));
    else if (config) await editEntry(deps, { name, userId }, () => patchConfig(config, patch));
    else if (enabled !== undefined || deferred !== undefined || tools)
      await editEntry(deps, { name, userId }, (stored) => patchConfig(stored, patch));
    return isAdmin && owner === "operator" ? findForAll(deps, name) : findServer(deps, name);
  });
}

/** Who has changed the entry may not have the server any more: it is for other roles now, or approved for them. */
function findForAll(deps: Pick<BaseDeps, "pool">, name: string): McpServerItem {
  return deps.pool.server(name) ?? findServer({ pool: deps.pool.of("") }, name);
}

/** Stores the secrets of the entry in place of earlier ones, and leaves references in the file. */
async function encryptEntry(
  deps: ServerDeps,
  { name, userId }: Whose,
  change: (stored: McpServerConfig) => McpServerConfig,
): Promise<void> {
  const found: Record<string, string> = {};
  await editEntry(deps, { name, userId }, async (stored) => {
    const { config, secrets } = hideSecrets(restoreMasked(change(stored), stored), "clear");
    // Else what it refuses would be kept for nothing.
    if (isOwnServer(deps, { name, userId })) checkOwnEntry(name, config);
    for (const secret of secrets) if (secret.value !== undefined) found[secret.name] = secret.value;
    // Before the file names them: of the two places one always has the value.
    const kept = secretsIn(deps, deps.pool.scopeOf(config), userId);
    if (Object.keys(found).length > 0) await kept.change(name, found, deps.pool.secretPlace(config));
    return config;
  });
  await restartUserOf(deps, name, found);
}

/** Stores, replaces and deletes (null) secrets; a server that uses them is started again. */
export async function changeSecrets(
  deps: ServerDeps,
  { name, userId }: Whose,
  changes: z.output<typeof SecretsPatch>,
): Promise<McpServerItem> {
  const { scope, secrets } = findServer(deps, name);
  if (scope === "user") {
    // What the entry does not ask for would be kept for nothing, by anybody, without an end.
    const asked = new Set(secrets.map((secret) => secret.name));
    const other = Object.entries(changes).find(([each, value]) => value !== null && !asked.has(each));
    if (other)
      throw new HttpError(
        400,
        "invalid_input",
        `${other[0]}: the entry of ${name} does not use this secret.`,
      );
  }
  await secretsIn(deps, scope, userId).change(name, changes, deps.pool.secretPlace(name));
  await restartUserOf(deps, name, changes);
  return findServer(deps, name);
}

async function restartUserOf(deps: ServerDeps, name: string, changes: object): Promise<void> {
  const isUsed = deps.pool
    .server(name)
    ?.secrets.some((secret) => secret.used && Object.hasOwn(changes, secret.name));
  if (isUsed) await translateConfigError(() => deps.pool.restart(name));
}

/** What a person says of definitions that differ from the accepted ones. */
async function decide(
  { pool }: Pick<BaseDeps, "pool">,
  { name, forAll }: { name: string; forAll: boolean },
  { acceptDefinition: one, acceptDefinitions: many = [], blockDefinition: no }: z.output<typeof ServerPatch>,
): Promise<void> {
  const accepted = one ? [...many, one] : many;
  if (accepted.length > 0) await pool.definitions.accept(name, accepted, forAll);
  if (no) await pool.definitions.block(name, no, forAll);
}

function patchConfig(
  config: McpServerConfig,
  { enabled, deferred, tools }: z.output<typeof ServerPatch>,
): McpServerConfig {
  const next: McpServerConfig = { ...config };
  if (enabled === true) delete next.disabled;
  if (enabled === false) next.disabled = true;
  if (deferred === true) next.deferred = true;
  if (deferred === false) delete next.deferred;
  if (tools) {
    const off = new Set(next.disabledTools);
    for (const [tool, on] of Object.entries(tools)) on ? off.delete(tool) : off.add(tool);
    if (off.size > 0) next.disabledTools = [...off].toSorted();
    else delete next.disabledTools;
  }
  return next;
}

export function listDefinitions(deps: ServerDeps, name: string): Page<McpDefinitionItem> {
  return { items: deps.pool.definitions.list(findServer(deps, name).name), nextCursor: null };
}

export async function removeServer(deps: ServerDeps, name: string): Promise<void> {
  findServer(deps, name);
  await translateConfigError(() => deps.pool.file.remove(name));
}

/** What people keep for a server ends with it: rules for its tools, its place in presets, requests to try again. */
export async function forgetServer(deps: Pick<BaseDeps, "store">, server: string): Promise<void> {
  const { settings } = deps.store;
  for (const userId of await settings.owners("rules")) await forgetRules(deps, userId, server);
  for (const userId of await settings.owners("presets")) await leavePresets(deps, userId, server);
  for (const userId of await settings.owners(requestsKey(server))) await forgetRequests(deps, userId, server);
}

export async function approveServer(
  deps: ServerDeps,
  name: string,
  { hash, sends }: z.output<typeof ApproveBody>,
): Promise<McpServerItem> {
  findServer(deps, name);
  await translateConfigError(() => deps.pool.file.approve(name, hash, sends));
  return findForAll(deps, name);
}

export async function sleepServer(deps: ServerDeps, name: string): Promise<McpServerItem> {
  findServer(deps, name);
  await translateConfigError(() => deps.pool.sleep(name));
  return findServer(deps, name);
}

export async function restartServer(deps: ServerDeps, name: string): Promise<McpServerItem> {
  findServer(deps, name);
  await translateConfigError(() => deps.pool.restart(name));
  return findServer(deps, name);
}

/** As often as lines are sent on: many at once rather than each by itself. */
const pieceMs = 100;

/** The log of a server, newest last; as events, new lines follow (`lines`) until the reader leaves. */
export function readLog(deps: Pick<BaseDeps, "pool">, server: string, request: Request) {
  const { name } = findServer(deps, server);
  if (!wantsEvents(request)) return { items: deps.pool.logs(name), nextCursor: null };
  let mark = request.headers.get("last-event-id") ?? undefined;
  return streamEvents(request.signal, async (to) => {
    while (!to.signal.aborted) {
      // A reader that is slow gets what is still kept later, and how much is not.
      if (to.hasRoom) {
        const piece = deps.pool.logAfter(name, mark);
        if (!piece) return; // the server has been removed
        const event: McpLogEvent = { lines: piece.lines, missed: piece.missed };
        if (mark === undefined || piece.lines.length > 0) to.tell("lines", event, piece.mark);
        mark = piece.mark;
      }
      await wait(pieceMs, undefined, { signal: to.signal, ref: false }).catch(() => {});
    }
  });
}
