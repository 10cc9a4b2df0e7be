import type { Kysely } from "kysely";
import type { Role } from "@/lib/protocol/accounts";
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

export interface PasskeyRow {
  id: string;
  userId: string;
  name: string;
  createdAt: number;
  /** Null until it has signed somebody in. */
  lastUsedAt: number | null;
}

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
   * password from then goes, with passkeys, links for a new one, sessions, API tokens, schedules, triggers and settings, as whoever
   * made them may be somebody else. Undefined, and nothing changes, when they have another identity of the same issuer.
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
  /** Ends the sessions and API tokens of a person who is disabled or deleted, and of no other; gives their ids. */
  endBarred(userId: string): Promise<string[]>;
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
