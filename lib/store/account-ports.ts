import type { Kysely } from "kysely";
import type { Role } from "@/lib/protocol/accounts";
import type { TokenOptions, TokenScope } from "@/lib/protocol/api-tokens";
import type { AuditAction, AuditGroup } from "@/lib/protocol/audit";
import type { DayUse, LimitsPatch, PersonLimits, Use } from "@/lib/protocol/person-limits";
import type { Usage } from "@/lib/protocol/usage";
import type { DB } from "./schema";
import type { PageRequest } from "./types";

export interface PersonRow {
  id: string;
  name: string;
  email: string;
  role: Role;
  disabled: boolean;
  /** Their own; those of the role stand behind them. */
  limits: PersonLimits;
  createdAt: number;
  lastSeenAt: number | null;
}

export interface InvitationRow {
  id: string;
  tokenHash: string;
  /** In small letters; null: for anybody with the link. */
  email: string | null;
  role: Role;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
}

export interface SessionRow {
  id: string;
  userId: string;
  createdAt: number;
  lastSeenAt: number;
  agent: string | null;
}

export interface ApiTokenRow {
  id: string;
  userId: string;
  name: string;
  /** The first characters of its value. */
  start: string;
  scopes: readonly TokenScope[];
  options: TokenOptions;
  createdAt: number;
  /** Null: never. */
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** It signs nobody in any more, and is kept to show what its program did. */
  revokedAt?: number;
  /** Of a program that has asked by OAuth: its value changes, and `expiresAt` is the end of the present one. */
  grant?: OAuthGrant;
}

/** What is known of a program that was let in by OAuth; of all secrets there are hashes. */
export interface OAuthGrant {
  clientId: string;
  code: string;
  /** By which the program shows that it has asked itself; gone once the code was exchanged. */
  asked?: { challenge: string; redirectUri: string };
  /** Of all its refresh tokens, and of the one that counts. */
  family?: string;
  refresh?: string;
  /** When it has to ask its person again. */
  endsAt: number;
}

export interface PasskeyRow {
  id: string;
  userId: string;
  name: string;
  createdAt: number;
  /** Null until it has signed somebody in. */
  lastUsedAt: number | null;
}

export type TokenOwner = Pick<PersonRow, "name" | "email" | "role" | "disabled">;

/** Who somebody is at an identity provider. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** People of `AUTH=accounts`. Who signs in, and with what, is written by the library that is given `database`. */
export interface Accounts {
  /** Its tables are those called `account_…`, without that of invitations. */
  readonly database: { db: Kysely<DB>; type: "sqlite" };
  /** Whether somebody is the first admin. */
  hasFounder(): Promise<boolean>;
  /** Deletes people who have nothing to sign in with: their sign-up was cut short. */
  deleteUnfinished(): Promise<void>;
  /** By name. */
  people(page: PageRequest): Promise<{ items: PersonRow[]; nextCursor: string | null }>;
  person(id: string): Promise<PersonRow | undefined>;
  byEmail(email: string): Promise<PersonRow | undefined>;
  byIdentity(identity: Identity): Promise<PersonRow | undefined>;
  /**
   * Signs this person in by the identity from now on, which proves their address. True when nobody had proven it before: a
   * password from then goes, with passkeys, links for a new one, sessions, API tokens and settings, as whoever made them may be
   * somebody else. Undefined, and nothing changes, when they have another identity of the same issuer.
   */
  link(userId: string, identity: Identity & { id: string }): Promise<boolean | undefined>;
  /** Whether an admin or an identity provider has said that the address is theirs. */
  isProven(userId: string): Promise<boolean>;
  hasPassword(userId: string): Promise<boolean>;
  /** Undefined without such a person; `last_admin`, and nothing is changed, when no admin would be left who can
   * sign in. Invitations of who is no admin any more, or disabled, end. */
  changePerson(
    id: string,
    patch: { role?: Role | undefined; disabled?: boolean | undefined; limits?: LimitsPatch | undefined },
  ): Promise<PersonRow | "last_admin" | undefined>;
  /** Those that have not expired, seen last first. */
  sessions(userId: string): Promise<SessionRow[]>;
  /** Ends those of this person that are named, or all but one; gives the ids of those that were. */
  endSessions(userId: string, which: { id: string } | { butFor: string | null }): Promise<string[]>;
  /** Of these ids of sessions and API tokens, those that are there no more. */
  endedOf(ids: readonly string[]): Promise<string[]>;
  /** Ends those of this person beyond so many, seen longest ago first, and all that have expired. */
  endSurplusSessions(userId: string, most: number): Promise<string[]>;
  /** Ends the links for a new password that this person has not used. */
  endResets(userId: string): Promise<void>;
  noteSeen(userId: string, sessionId: string, at: number): Promise<void>;
  /**
   * All that `from` has is `to`'s from now on, in one transaction. Settings that `to` has already stay; `left` are the keys of those
   * that `from` therefore keeps.
   */
  adopt(from: string, to: string): Promise<{ conversations: number; left: string[] }>;
}

/**
 * People who are deleted. The account goes at once; what they have written goes in steps, which a later process goes on with.
 * Their ids are never given out again.
 */
export interface DeletedPeople {
  /**
   * From now on nobody can sign in as this person, links that they have shared are over, and invitations by them and for their
   * address are void. Undefined without such a person; `last_admin`, and nothing is changed, when no admin would be left who
   * can sign in.
   */
  begin(id: string, at: number): Promise<"last_admin" | PersonRow | undefined>;
  /** Those of whom something may be left, and since when. */
  unfinished(): Promise<{ id: string; at: number }[]>;
  /** Theirs, hidden ones too, by id. */
  conversations(id: string, page: { limit: number; after: string | undefined }): Promise<string[]>;
  /** Deletes the rows of so many files that are in no conversation; gives their ids. */
  deleteFiles(id: string, limit: number): Promise<string[]>;
  /** Deletes what is in no conversation and no file. */
  deleteRest(id: string): Promise<void>;
  /** Nothing of them is left, and nothing comes any more. */
  end(id: string): Promise<void>;
}

export interface Invitations {
  /** False, and nothing is added, when `most` can be used already. */
  add(row: InvitationRow, most: number): Promise<boolean>;
  /** Those that can be used, newest first, with the name of who made them. */
  list(now: number): Promise<(InvitationRow & { from: string })[]>;
  byToken(tokenHash: string): Promise<(InvitationRow & { from: string }) | undefined>;
  /** Takes it for the sign-up of this address; false when it has been used, has expired or is gone. */
  claim(tokenHash: string, now: number, email: string): Promise<boolean>;
  /** The sign-up that took it has made an account. */
  settle(tokenHash: string): Promise<void>;
  /** It has failed. */
  release(tokenHash: string): Promise<void>;
  /** The same for those whose sign-up the process did not live to finish. */
  releaseUnfinished(): Promise<void>;
  /** Whether there was one that could be used. */
  delete(id: string): Promise<boolean>;
}

export interface AuditRow {
  id: string;
  at: number;
  userId: string | null;
  /** As they were called then. */
  name: string | null;
  action: AuditAction;
  on: string | null;
  from: string | null;
  count: number;
}

export interface AuditFilter {
  userId?: string | undefined;
  group?: AuditGroup | undefined;
  since?: number | undefined;
  /** Anywhere in a name, an action, what it was done to or an address; Latin letters in any case. */
  words?: string | undefined;
}

/** Who did what; nothing of it is ever changed. */
export interface Audit {
  append(row: AuditRow): Promise<void>;
  /** Newest first. */
  page(page: PageRequest & AuditFilter): Promise<{ items: AuditRow[]; nextCursor: string | null }>;
  deleteBefore(at: number): Promise<void>;
}

/** What people's programs sign in with, with or without accounts. */
export interface ApiTokens {
  /** False, and nothing is added, when this person has so many already. */
  add(row: ApiTokenRow & { tokenHash: string }, most: number): Promise<boolean>;
  /** Of this person, newest first, those too that have expired or were revoked. */
  list(userId: string): Promise<ApiTokenRow[]>;
  /** With whose it is, where that is an account. */
  byHash(tokenHash: string): Promise<{ token: ApiTokenRow; owner: TokenOwner | undefined } | undefined>;
  /** With the hash that finds it. */
  byId(id: string): Promise<(ApiTokenRow & { tokenHash: string }) | undefined>;
  /** Gives it another value; false where another request has done so before. */
  renew(
    id: string,
    from: string,
    to: Pick<ApiTokenRow, "start" | "expiresAt"> & { tokenHash: string; grant: OAuthGrant },
  ): Promise<boolean>;
  /** From then on no hash finds it; it counts no more, and of several the newest `keep` stay. False where there is none to revoke. */
  revoke(userId: string, id: string, at: number, keep: number): Promise<boolean>;
  /** Whether this person had it. */
  delete(userId: string, id: string): Promise<boolean>;
  deleteAll(userId: string): Promise<void>;
  noteUsed(id: string, at: number): Promise<void>;
}

/** Keys that sign people in. They are added, found and counted up by the library that is given `Accounts.database`. */
export interface Passkeys {
  /** Of this person, newest first. */
  list(userId: string): Promise<PasskeyRow[]>;
  /** By the id that a browser sends, with the address of whose it is. */
  byCredential(credentialId: string): Promise<(PasskeyRow & { email: string }) | undefined>;
  /** The one that this person had and has no longer. */
  delete(userId: string, id: string): Promise<PasskeyRow | undefined>;
  deleteAll(userId: string): Promise<void>;
  noteUsed(id: string, at: number): Promise<void>;
  /** Deletes challenges that are over; how many are left, with links for a new password. */
  pendingChallenges(): Promise<number>;
}

/** What people have used, by day (UTC). Runs add to it as they end. */
export interface UsageDays {
  /** Of this person since a day, newest first. */
  of(userId: string, since: string): Promise<DayUse[]>;
  /** Of everybody since a day: by day, newest first, and by person, who has used most first. */
  everybody(
    since: string,
    most: number,
  ): Promise<{ days: DayUse[]; people: (Use & { id: string; name: string })[] }>;
  /** What a run that the database does not know has used. */
  add(userId: string, at: number, usage: Usage): Promise<void>;
  deleteBefore(day: string): Promise<void>;
}
