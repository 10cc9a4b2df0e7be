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
import type { ApiTokenRow, TokenOwner } from "@/lib/store/account-ports";
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
    const shown = rows.filter(({ revokedAt = Number.POSITIVE_INFINITY }) => revokedAt > shownFrom);
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
    const value = tokenPrefix + randomBytes(32).toString("base64url");
    const row: ApiTokenRow = {
      ...{ id: newId(), userId: person.id, name, start: value.slice(0, startLength), scopes, options },
      ...{ createdAt: Date.now(), expiresAt: expiryOf(expiresAt), lastUsedAt: null },
    };
    if (!(await this.deps.store.tokens.add({ ...row, tokenHash: hash(value) }, maxTokens)))
      throw new HttpError(409, "too_many", `At most ${maxTokens} API tokens can be kept; delete some first.`);
    return { ...toItem(row), value };
  }

  /** That of an MCP client is revoked, and deleted the second time. */
  async delete({ id: userId }: Person, id: string): Promise<void> {
    const { tokens } = this.deps.store;
    const row = (await tokens.list(userId)).find((each) => each.id === id);
    const isKept = row?.scopes.includes("mcp") && row.revokedAt === undefined;
    const isGone = isKept
      ? await tokens.revoke(userId, id, Date.now(), maxRevoked)
      : await tokens.delete(userId, id);
    if (!isGone) throw notFound("token");
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
    const end = () => {
      this.expiring.delete(id);
      this.deps.ends.end([id]);
    };
    this.expiring.set(id, setTimeout(end, Math.min(longestTimerMs, expiresAt - Date.now())).unref());
  }
}

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

const toItem = ({ createdAt, expiresAt, lastUsedAt, revokedAt, ...row }: ApiTokenRow): ApiTokenItem => ({
  ...{ id: row.id, name: row.name, start: row.start, scopes: [...row.scopes] },
  ...row.options,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  ...(revokedAt !== undefined && { revokedAt: new Date(revokedAt).toISOString() }),
});
