import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import { changeLimits } from "@/lib/protocol/person-limits";
import type { Accounts, PersonRow, SessionRow } from "./account-ports";
import { openAdoption } from "./adopt";
import { readCursor, toPage } from "./cursor";
import { openIdentities } from "./identities";
import type { DB } from "./schema";
import { Limits, readJson, writeJson } from "./stored-json";

/** Name, id. */
const Key = z.tuple([z.string(), z.string()]);

/** The library writes times as ISO text, which sorts as they do. */
const now = () => new Date().toISOString();

export function openAccounts(db: Kysely<DB>): Accounts {
  return {
    database: { db, type: "sqlite" },
    async hasFounder() {
      const row = await db
        .selectFrom("account_user")
        .select("id")
        .where("founder", "=", 1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async deleteUnfinished() {
      await db
        .deleteFrom("account_user")
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("account_credential")
                .select("account_credential.id")
                .whereRef("account_credential.user_id", "=", "account_user.id"),
            ),
          ),
        )
        .execute();
    },
    async people({ limit, cursor }) {
      let query = db
        .selectFrom("account_user")
        .selectAll()
        .orderBy("name")
        .orderBy("id")
        .limit(limit + 1);
      if (cursor !== undefined) {
        const key = readCursor(cursor, Key);
        query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("name", "id"), ">", tuple(...key)));
      }
      return toPage(await query.execute(), limit, (row) => [row.name, row.id], toPerson);
    },
    person: (id) => findPerson(db, "id", id),
    byEmail: (email) => findPerson(db, "email", email.toLowerCase()),
    changePerson: (id, { role, disabled, limits }) =>
      db.transaction().execute(async (trx) => {
        const before = await findPerson(trx, "id", id);
        if (!before) return undefined;
        const loses = role === "member" || disabled === true;
        if (loses && (await isLastAdmin(trx, id))) return "last_admin";
        await trx
          .updateTable("account_user")
          .set({
            updated_at: now(),
            ...(role && { role }),
            ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
            ...(limits && { limits: writeJson(changeLimits(before.limits, limits)) }),
          })
          .where("id", "=", id)
          .execute();
        if (loses) {
          await trx.deleteFrom("account_invitation").where("invited_by", "=", id).execute();
          // Who has made a link for a new password is not kept: it may have been this admin.
          if (before.role === "admin") await trx.deleteFrom("account_verification").execute();
        }
        if (disabled) {
          await trx.deleteFrom("api_token").where("user_id", "=", id).execute();
          await trx.deleteFrom("account_session").where("user_id", "=", id).execute();
        }
        return findPerson(trx, "id", id);
      }),
    ...openIdentities(db, toPerson),
    ...openSessions(db),
    ...openAdoption(db),
  };
}

/** Sessions looked up by one query. */
const batchSize = 500;

type Sessions = Pick<
  Accounts,
  "sessions" | "endSessions" | "endBarred" | "endedOf" | "endSurplusSessions" | "endResets" | "noteSeen"
>;

function openSessions(db: Kysely<DB>): Sessions {
  const live = async (userId: string) => {
    const rows = await db
      .selectFrom("account_session")
      .selectAll()
      .where("user_id", "=", userId)
      .where("expires_at", ">", now())
      .execute();
    return rows.map(toSession).toSorted((a, b) => b.lastSeenAt - a.lastSeenAt);
  };
  return {
    sessions: live,
    async endSessions(userId, which) {
      let query = db.deleteFrom("account_session").where("user_id", "=", userId);
      if ("id" in which) query = query.where("id", "=", which.id);
      else if (which.butFor !== null) query = query.where("id", "<>", which.butFor);
      return (await query.returning("id").execute()).map(({ id }) => id);
    },
    async endBarred(userId) {
      const ended: string[] = [];
      for (const table of ["api_token", "account_session"] as const)
        ended.push(
          ...(
            await db
              .deleteFrom(table)
              .where("user_id", "=", userId)
              // In the statement itself: who is let in again meanwhile keeps what they begin.
              .where(({ not, exists, selectFrom }) =>
                not(
                  exists(
                    selectFrom("account_user")
                      .select("id")
                      .where("id", "=", userId)
                      .where("disabled", "=", 0),
                  ),
                ),
              )
              .returning("id")
              .execute()
          ).map(({ id }) => id),
        );
      return ended;
    },
    async endedOf(ids) {
      const ended = new Set(ids);
      for (let at = 0; at < ids.length; at += batchSize) {
        const some = ids.slice(at, at + batchSize);
        for (const table of ["account_session", "api_token"] as const)
          for (const { id } of await db.selectFrom(table).select("id").where("id", "in", some).execute())
            ended.delete(id);
      }
      return [...ended];
    },
    async endSurplusSessions(userId, most) {
      await db.deleteFrom("account_session").where("expires_at", "<=", now()).execute();
      const surplus = (await live(userId)).slice(most).map(({ id }) => id);
      if (surplus.length > 0) await db.deleteFrom("account_session").where("id", "in", surplus).execute();
      return surplus;
    },
    async endResets(userId) {
      // The names of links are hashed; the value of each is whose it is.
      await db.deleteFrom("account_verification").where("value", "=", userId).execute();
    },
    async noteSeen(userId, sessionId, at) {
      await db.updateTable("account_session").set({ last_seen_at: at }).where("id", "=", sessionId).execute();
      await db.updateTable("account_user").set({ last_seen_at: at }).where("id", "=", userId).execute();
    },
  };
}

const isActiveAdmin = (db: Kysely<DB> | Transaction<DB>) =>
  db.selectFrom("account_user").select("id").where("role", "=", "admin").where("disabled", "=", 0);

/** Whether nobody could set Meguri up any more without this person. */
export async function isLastAdmin(db: Transaction<DB>, id: string): Promise<boolean> {
  const admins = await isActiveAdmin(db).limit(2).execute();
  return admins.length === 1 && admins[0]?.id === id;
}

export async function findPerson(
  db: Kysely<DB>,
  column: "id" | "email",
  value: string,
): Promise<PersonRow | undefined> {
  const row = await db.selectFrom("account_user").selectAll().where(column, "=", value).executeTakeFirst();
  return row && toPerson(row);
}

const toPerson = (row: Selectable<DB["account_user"]>): PersonRow => ({
  ...{ id: row.id, name: row.name, email: row.email, role: row.role },
  disabled: row.disabled === 1,
  limits: row.limits === null ? {} : readJson(`limits of person ${row.id}`, row.limits, Limits),
  createdAt: Date.parse(row.created_at),
  lastSeenAt: row.last_seen_at,
});

const toSession = (row: Selectable<DB["account_session"]>): SessionRow => ({
  id: row.id,
  userId: row.user_id,
  createdAt: Date.parse(row.created_at),
  lastSeenAt: row.last_seen_at ?? Date.parse(row.created_at),
  agent: row.user_agent || null,
});
