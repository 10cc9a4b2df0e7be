import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Account } from "@/lib/protocol/accounts";
import { type ApiTokenItem, type NewApiToken, tokenPrefix } from "@/lib/protocol/api-tokens";
import type { Page } from "@/lib/protocol/http";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { ApiTokenBody } from "@/lib/server/contract/api-tokens";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { localPerson, type Person } from "@/lib/server/http/guard";
import { localUser, newId } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";
import type { ApiTokenRow, OAuthGrant, TokenOwner } from "@/lib/store/token-ports";
import type { SessionEnds } from "./session-ends";

/** Of one person, those that have expired too. */
const maxTokens = 50;
/** Of those of programs that were revoked. */
const maxRevoked = 20;
/** They are shown for so long. */
const showRevokedMs = 30 * 24 * 3_600_000;
/** Of its value, shown in the list. */
const startLength = tokenPrefix.length + 3;
/** A year, and a day for clocks that differ and for leap years. */
const longestMs = 366 * 24 * 3_600_000;
/** It is written now and then only, as for sessions. */
const noteUsedMs = 5 * 60_000;
/** The longest that a timer waits. */
const longestTimerMs = 2 ** 31 - 1;

/** What people's programs sign in with: as its owner, with no more than its scopes. */
export class ApiTokens {
  /** Timers of those that have been used and will expire, by id. */
  private readonly expiring = new Map<string, NodeJS.Timeout>();

  constructor(private readonly deps: Pick<BaseDeps, "env" | "store" | "log"> & { ends: SessionEnds }) {}

  /** Whose token it is. Found by its hash, so that how long it takes tells nothing of its letters. */
  async personOf(value: string): Promise<Person | undefined> {
    const found = await this.deps.store.tokens.byHash(hash(value));
    if (!found || isOver(found.token)) return undefined;
    const { token } = found;
    const owner = this.ownerOf(token, found.owner);
    if (!owner) return undefined;
    this.noteUsed(token);
    this.endWhenExpired(token);
    // Who is no admin any more has no token with that scope either.
    const scopes = token.scopes.filter((scope) => scope !== "admin" || owner.role === "admin");
    return {
      ...{ id: token.userId, name: owner.name, email: owner.email },
      role: scopes.includes("admin") ? "admin" : "member",
      sessionId: null,
      token: { id: token.id, name: token.name, scopes, ...token.options },
    };
  }

  async list({ id }: Person): Promise<Page<ApiTokenItem>> {
    const rows = await this.deps.store.tokens.list(id);
    const shownFrom = Date.now() - showRevokedMs;
    const shown = rows.filter(
      // One whose program has not come back yet is none.
      ({ revokedAt = Number.POSITIVE_INFINITY, grant }) => revokedAt > shownFrom && !grant?.asked,
    );
    return { items: shown.map(toItem), nextCursor: null };
  }

  /** Its value is given this once: what is stored of it is a hash. */
  async create(
    person: Person,
    { name, scopes, expiresAt, ...options }: z.output<typeof ApiTokenBody>,
  ): Promise<NewApiToken> {
    if (scopes.includes("admin") && person.role !== "admin")
      throw new HttpError(
        403,
        "forbidden",
        "scopes: only an admin's token can have admin; choose read, chat or mcp.",
      );
    const value = newValue();
    const row: ApiTokenRow = {
      ...{ id: newId(), userId: person.id, name, start: value.slice(0, startLength), scopes, options },
      ...{ createdAt: Date.now(), expiresAt: expiryOf(expiresAt), lastUsedAt: null },
    };
    if (!(await this.deps.store.tokens.add({ ...row, tokenHash: hash(value) }, maxTokens))) throw tooMany();
    return { ...toItem(row), value };
  }

  /** One that nobody has the value of yet; the hash of the code stands in place of that of a value. Gives its id. */
  async keepGrant(
    person: Person,
    {
      name,
      options,
      grant,
      expiresAt,
    }: Pick<ApiTokenRow, "name" | "options"> & { grant: OAuthGrant; expiresAt: number },
  ): Promise<string> {
    const { tokens } = this.deps.store;
    for (const row of await tokens.list(person.id))
      if (row.grant?.asked && isOver(row)) await tokens.delete(person.id, row.id);
    const row: ApiTokenRow = {
      ...{ id: newId(), userId: person.id, name, start: tokenPrefix, scopes: ["mcp"], options, grant },
      ...{ createdAt: Date.now(), expiresAt, lastUsedAt: null },
    };
    if (!(await tokens.add({ ...row, tokenHash: codeHash(grant.code) }, maxTokens))) throw tooMany();
    return row.id;
  }

  /** Gives a program that was let in by OAuth its next value; undefined where another request has had it. */
  async renewGrant(
    { id, tokenHash }: { id: string; tokenHash: string },
    grant: OAuthGrant,
    lifeMs: number,
  ): Promise<string | undefined> {
    const value = newValue();
    const to = { tokenHash: hash(value), start: value.slice(0, startLength), expiresAt: Date.now() + lifeMs };
    return (await this.deps.store.tokens.renew(id, tokenHash, { ...to, grant })) ? value : undefined;
  }

  /** That of an MCP client is revoked, and deleted the second time. */
  async delete({ id: userId }: Person, id: string): Promise<void> {
    const { tokens } = this.deps.store;
    const row = (await tokens.list(userId)).find((each) => each.id === id);
    const isKept = row?.scopes.includes("mcp") && row.revokedAt === undefined;
    if (!(await (isKept ? this.revoke(userId, id) : this.remove(userId, id)))) throw notFound("token");
  }

  /** It stays in the list for some time. False where there is none. */
  async revoke(userId: string, id: string): Promise<boolean> {
    const isRevoked = await this.deps.store.tokens.revoke(userId, id, Date.now(), maxRevoked);
    if (isRevoked) this.end(id);
    return isRevoked;
  }

  /** Nothing of it stays. */
  async remove(userId: string, id: string): Promise<boolean> {
    const isRemoved = await this.deps.store.tokens.delete(userId, id);
    if (isRemoved) this.end(id);
    return isRemoved;
  }

  private end(id: string): void {
    clearTimeout(this.expiring.get(id));
    this.expiring.delete(id);
    this.deps.ends.end([id]);
  }

  /** With `AUTH=local` there are no people in the tables; what was made in the other mode is void in this one. */
  private ownerOf({ userId }: ApiTokenRow, owner: TokenOwner | undefined): Omit<Account, "id"> | undefined {
    if (this.deps.env.AUTH === "local") return userId === localUser ? localPerson : undefined;
    return owner?.disabled ? undefined : owner;
  }

  private noteUsed({ id, userId }: ApiTokenRow): void {
    const now = Date.now();
    if (!this.deps.ends.isToBeNoted(id, userId, now, noteUsedMs)) return;
    this.deps.store.tokens
      .noteUsed(id, now)
      .catch((err) => this.deps.log.warn({ err }, "when an API token was used was not written"));
  }

  private endWhenExpired({ id, expiresAt }: ApiTokenRow): void {
    if (expiresAt === null || this.expiring.has(id)) return;
    const end = async () => {
      this.expiring.delete(id);
      const now = await this.deps.store.tokens.byId(id).catch(() => undefined);
      // A program that has asked by OAuth may have had another value meanwhile, from whichever instance.
      if (now && now.revokedAt === undefined && !isOver(now)) this.endWhenExpired(now);
      else this.deps.ends.end([id]);
    };
    this.expiring.set(
      id,
      setTimeout(() => void end(), Math.min(longestTimerMs, expiresAt - Date.now())).unref(),
    );
  }
}

/** A hash that no value has. */
export const codeHash = (code: string): string => `code:${code}`;

const newValue = () => tokenPrefix + randomBytes(32).toString("base64url");

const tooMany = () =>
  new HttpError(409, "too_many", `At most ${maxTokens} API tokens can be kept; delete some first.`);

const isOver = ({ expiresAt }: ApiTokenRow): boolean => expiresAt !== null && expiresAt <= Date.now();

function expiryOf(time: string | null): number | null {
  if (time === null) return null;
  const expiresAt = Date.parse(time);
  if (expiresAt <= Date.now())
    throw new HttpError(400, "invalid_input", "expiresAt: choose a time in the future.");
  if (expiresAt > Date.now() + longestMs)
    throw new HttpError(
      400,
      "invalid_input",
      "expiresAt: choose a time within a year, or null for a token that does not expire.",
    );
  return expiresAt;
}

const toItem = ({ createdAt, lastUsedAt, revokedAt, grant, ...row }: ApiTokenRow): ApiTokenItem => {
  const expiresAt = grant ? grant.endsAt : row.expiresAt;
  return {
    ...{ id: row.id, name: row.name, start: row.start, scopes: [...row.scopes] },
    ...row.options,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
    ...(revokedAt !== undefined && { revokedAt: new Date(revokedAt).toISOString() }),
  };
};
