import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import type { ShareFinding } from "@/lib/protocol/share-policy";
import type { ShareItem, ShareSnapshot } from "@/lib/protocol/shares";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { ShareBody, ShareFileBody, SharePatch } from "@/lib/server/contract/conversations";
import type { PageQuery } from "@/lib/server/contract/fields";
import { publicUrl } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import { hash, sign } from "@/lib/server/secrets";
import type { ShareRow } from "@/lib/store/kept-types";
import type { Findings } from "./findings";
import { type ShareFileWords, shareFile } from "./share-file";
import { freeze, nameOf, type ShareDeps } from "./snapshot";

/** What creating a share answers: the link, what strangers will see, and what in it looked private. */
export interface CreatedShare {
  id: string | null;
  token: string | null;
  url: string | null;
  preview: ShareSnapshot;
  findings: ShareFinding[];
}

/** The copy as a file in place of a link: what strangers would get, and nothing of it is public. */
export async function saveShare(
  deps: ShareDeps,
  userId: string,
  conversationId: string,
  body: z.output<typeof ShareFileBody>,
  words: ShareFileWords,
): Promise<Response> {
  const { snapshot, findings } = await freeze(
    deps,
    userId,
    conversationId,
    { ...body, replay: false, author: body.author === true },
    body.policy ?? null,
  );
  refuseUndecided(findings);
  return shareFile(deps, { userId, snapshot, expiresAt: null }, { words, slots: deps.files.exports });
}

/** Freezes the current branch and gives it a link; with `dryRun` only shows what would be public. */
export async function createShare(
  deps: ShareDeps,
  userId: string,
  conversationId: string,
  body: z.output<typeof ShareBody>,
): Promise<CreatedShare> {
  const policy = body.policy ?? null;
  const { snapshot, findings } = await freeze(
    deps,
    userId,
    conversationId,
    { ...body, replay: body.replay === true, author: body.author === true },
    policy,
  );
  if (body.dryRun) return { id: null, token: null, url: null, preview: snapshot, findings: findings.list };
  refuseUndecided(findings);
  const id = newId();
  const token = tokenOf(deps, id);
  const expiresAt = expiryOf(body.expiresAt ?? null);
  await deps.store.shares.create({
    id,
    userId,
    conversationId,
    tokenHash: hash(token),
    title: snapshot.title,
    snapshot,
    createdAt: Date.now(),
    expiresAt,
    revokedAt: null,
    views: 0,
    policy,
  });
  return { id, token, url: urlOf(deps, id), preview: snapshot, findings: findings.list };
}

export async function listShares(
  deps: ShareDeps,
  userId: string,
  { limit, cursor }: z.output<typeof PageQuery>,
): Promise<Page<ShareItem>> {
  const page = await deps.store.shares.list(userId, { limit, ...(cursor && { cursor }) });
  return { items: page.items.map((row) => toItem(deps, row)), nextCursor: page.nextCursor };
}

/**
 * Brings a link to the newest state of its conversation, or changes what it shows and when it ends. One at a time: what a
 * copy in the making keeps of the link (its policy) may be what another is taking back.
 */
export function patchShare(
  deps: ShareDeps,
  userId: string,
  id: string,
  body: z.output<typeof SharePatch>,
): Promise<ShareItem> {
  return deps.turns.run(`share ${id}`, () => changeShare(deps, userId, id, body));
}

async function changeShare(
  deps: ShareDeps,
  userId: string,
  id: string,
  body: z.output<typeof SharePatch>,
): Promise<ShareItem> {
  const row = await findShare(deps, userId, id);
  refuseRevoked(row);
  const patch: Parameters<BaseDeps["store"]["shares"]["update"]>[1] = {};
  // Another policy needs another copy.
  if (body.refresh || body.policy || body.replay !== undefined || body.author !== undefined) {
    const policy = body.policy ?? row.policy;
    const replay = body.replay ?? row.snapshot.replay !== undefined;
    // A name that was taken back since is not shown any more, and holds up nothing.
    const author =
      body.author ?? (row.snapshot.author !== undefined && (await nameOf(deps, userId)) !== undefined);
    const { snapshot, findings } = await freeze(
      deps,
      userId,
      row.conversationId,
      { ...body, replay, author },
      policy,
    );
    refuseUndecided(findings);
    Object.assign(patch, { snapshot, title: snapshot.title, policy });
  }
  if (body.expiresAt !== undefined) patch.expiresAt = expiryOf(body.expiresAt);
  await deps.store.shares.update(id, patch);
  const now = await findShare(deps, userId, id);
  // While the copy was made.
  refuseRevoked(now);
  return toItem(deps, now);
}

/** Epoch ms; null for a link without an end. */
function expiryOf(time: string | null): number | null {
  if (time === null) return null;
  const expiresAt = Date.parse(time);
  if (expiresAt <= Date.now())
    throw new HttpError(400, "invalid_input", "expiresAt: choose a time in the future.");
  return expiresAt;
}

function refuseRevoked({ revokedAt }: ShareRow): void {
  if (revokedAt !== null) throw new HttpError(410, "revoked", "This link was revoked; create a new one.");
}

/** The link answers 410 from now on; the frozen copy is wiped. */
export async function revokeShare(deps: ShareDeps, userId: string, id: string): Promise<void> {
  const row = await findShare(deps, userId, id);
  if (row.revokedAt !== null) return;
  const empty: ShareSnapshot = { title: "", createdAt: row.snapshot.createdAt, messages: [], runs: [] };
  await deps.store.shares.update(id, { revokedAt: Date.now(), snapshot: empty });
}

async function findShare(deps: ShareDeps, userId: string, id: string): Promise<ShareRow> {
  const row = await deps.store.shares.get(userId, id);
  if (!row) throw notFound("share");
  return row;
}

function refuseUndecided({ undecided, list }: Findings): void {
  if (undecided === 0) return;
  throw new HttpError(
    422,
    "secrets_found",
    undecided === 1
      ? "It contains 1 text that may be private; send redact or accept."
      : `It contains ${undecided} texts that may be private; send redact or accept.`,
    { findings: list },
  );
}

/** Made from the id, so that the list can show the link although only the token's hash is stored. */
export const shareToken = (secret: string, id: string) => sign(secret, "share", id);
const tokenOf = ({ secrets }: ShareDeps, id: string) => shareToken(secrets.appSecret, id);
const urlOf = (deps: ShareDeps, id: string) => `${publicUrl(deps.env)}/share/${tokenOf(deps, id)}`;

function toItem(deps: ShareDeps, row: Omit<ShareRow, "snapshot">): ShareItem {
  return {
    id: row.id,
    conversationId: row.conversationId,
    title: row.title,
    url: urlOf(deps, row.id),
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt).toISOString(),
    revokedAt: row.revokedAt === null ? null : new Date(row.revokedAt).toISOString(),
    views: row.views,
    policy: row.policy,
  };
}
