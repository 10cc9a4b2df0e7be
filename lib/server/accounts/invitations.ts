import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { InvitationItem, NewInvitation } from "@/lib/protocol/accounts";
import type { Page } from "@/lib/protocol/http";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { InvitationBody } from "@/lib/server/contract/accounts";
import { publicUrl } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";

type InvitationDeps = Pick<BaseDeps, "env" | "store">;

const lastsMs = 7 * 24 * 3_600_000;
/** That can be used at once. */
const maxOpen = 200;

/** The address works once, and is shown this once: what is stored of it is a hash. */
export async function invite(
  { env, store }: InvitationDeps,
  invitedBy: string,
  { email: asked, role }: z.output<typeof InvitationBody>,
): Promise<NewInvitation> {
  const email = asked ?? null;
  if (email !== null && (await store.accounts.byEmail(email)))
    throw new HttpError(409, "exists", "email: somebody has an account with this address already.");
  const token = randomBytes(32).toString("base64url");
  const createdAt = Date.now();
  const row = {
    ...{ id: newId(), tokenHash: hash(token), email, role, invitedBy, createdAt },
    ...{ expiresAt: createdAt + lastsMs, usedAt: null },
  };
  if (!(await store.invitations.add(row, maxOpen)))
    throw new HttpError(
      409,
      "too_many",
      `At most ${maxOpen} invitations can be open at once; take some back first.`,
    );
  return {
    id: row.id,
    url: `${publicUrl(env)}/sign-in?invitation=${token}`,
    expiresAt: new Date(row.expiresAt).toISOString(),
  };
}

export async function listInvitations({ store }: InvitationDeps): Promise<Page<InvitationItem>> {
  const rows = await store.invitations.list(Date.now());
  const items = rows.map(
    ({ id, email, role, from, createdAt, expiresAt }): InvitationItem => ({
      ...{ id, email, role, from },
      createdAt: new Date(createdAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
    }),
  );
  return { items, nextCursor: null };
}

export async function withdraw({ store }: InvitationDeps, id: string): Promise<void> {
  if (!(await store.invitations.delete(id))) throw notFound("invitation");
}
