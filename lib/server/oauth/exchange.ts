import { createHash, randomBytes } from "node:crypto";
import type { z } from "zod";
import { type ApiTokens, codeHash } from "@/lib/server/accounts/api-tokens";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { TokenForm } from "@/lib/server/contract/oauth";
import { HttpError } from "@/lib/server/http/errors";
import { hash, same } from "@/lib/server/secrets";
import type { ApiTokenRow, OAuthGrant } from "@/lib/store/token-ports";
import { isOurResource } from "./addresses";
import { grantMs } from "./authorize";
import { readClientId } from "./client-id";

/** So long an access token counts. */
const accessMs = 3_600_000;
const refreshPrefix = "mgrr_";

type ExchangeDeps = Pick<BaseDeps, "env" | "secrets" | "store"> & { tokens: ApiTokens };
type Row = ApiTokenRow & { tokenHash: string };

/** A code or a refresh token for the tokens that come after it. One that comes twice ends whatever came of it: somebody has a copy. */
export async function exchange(deps: ExchangeDeps, form: z.output<typeof TokenForm>) {
  const { client_id: clientId, resource } = form;
  if (!readClientId(deps, clientId))
    throw new HttpError(401, "invalid_client", "client_id: is not known here; register again.");
  if (resource !== undefined && !isOurResource(deps.env, resource))
    throw new HttpError(400, "invalid_target", "resource: is not this Meguri; ask for its /mcp.");
  if (form.grant_type === "authorization_code") return exchangeCode(deps, form);
  if (form.grant_type === "refresh_token") return refresh(deps, form);
  throw new HttpError(
    400,
    "unsupported_grant_type",
    "grant_type: must be authorization_code or refresh_token.",
  );
}

async function exchangeCode(deps: ExchangeDeps, form: z.output<typeof TokenForm>) {
  const [id = "", secret = ""] = (form.code ?? "").split(".");
  const row = await deps.store.tokens.byId(id);
  if (!row?.grant || !same(row.grant.code, hash(secret))) throw over("code");
  const { asked, ...grant } = row.grant;
  const isOpen = asked !== undefined && row.tokenHash === codeHash(grant.code);
  if (!isOpen || !asked) return endAll(deps, row, "code");
  const isTheirs =
    same(grant.clientId, hash(form.client_id)) &&
    (form.redirect_uri ?? asked.redirectUri) === asked.redirectUri &&
    same(asked.challenge, challengeOf(form.code_verifier ?? ""));
  const isLate = row.expiresAt !== null && row.expiresAt <= Date.now();
  if (!isTheirs || isLate) {
    // Whoever has it without the verifier has not asked for it.
    await deps.store.tokens.delete(row.userId, id);
    throw over("code");
  }
  const given = await give(deps, row, { ...grant, family: newSecret() });
  if (!given) return endAll(deps, row, "code");
  await endFormer(deps, row);
  return given;
}

const challengeOf = (verifier: string): string =>
  /^[\w.~-]{43,128}$/.test(verifier) ? createHash("sha256").update(verifier).digest("base64url") : "";

async function refresh(deps: ExchangeDeps, form: z.output<typeof TokenForm>) {
  const value = form.refresh_token ?? "";
  const [id = "", family = "", secret = ""] = value.startsWith(refreshPrefix)
    ? value.slice(refreshPrefix.length).split(".")
    : [];
  const row = await deps.store.tokens.byId(id);
  const { grant } = row ?? {};
  const isKnown = row?.revokedAt === undefined && grant?.family && same(grant.family, hash(family));
  if (!row || !grant || !isKnown || !same(grant.clientId, hash(form.client_id)) || grant.endsAt <= Date.now())
    throw over("refresh_token");
  if (!same(grant.refresh ?? "", hash(secret))) return endAll(deps, row, "refresh_token");
  return (await give(deps, row, { ...grant, family })) ?? endAll(deps, row, "refresh_token");
}

/** `family`: not hashed yet. Undefined where another request has come first. */
async function give({ tokens }: ExchangeDeps, row: Row, grant: OAuthGrant & { family: string }) {
  const secret = newSecret();
  const { family } = grant;
  const next = { ...grant, family: hash(family), refresh: hash(secret), endsAt: Date.now() + grantMs };
  const value = await tokens.renewGrant(row, next, accessMs);
  return (
    value && {
      ...{ access_token: value, token_type: "Bearer", expires_in: accessMs / 1000, scope: "mcp" },
      refresh_token: `${refreshPrefix}${row.id}.${family}.${secret}`,
    }
  );
}

/** A program that was let in again has what it was given last. */
async function endFormer({ store, tokens }: ExchangeDeps, { id, userId, grant }: Row): Promise<void> {
  for (const row of await store.tokens.list(userId))
    if (row.id !== id && row.grant?.clientId === grant?.clientId && !row.grant?.asked && !row.revokedAt)
      await tokens.remove(userId, row.id);
}

async function endAll(
  { tokens }: ExchangeDeps,
  { id, userId, revokedAt }: Row,
  field: string,
): Promise<never> {
  if (revokedAt === undefined) await tokens.revoke(userId, id);
  throw over(field);
}

const newSecret = () => randomBytes(32).toString("base64url");

const over = (field: string) =>
  new HttpError(400, "invalid_grant", `${field}: is over, or is not this client's; ask the person again.`);
