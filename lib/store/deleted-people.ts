import { type Kysely, sql, type Transaction } from "kysely";
import type { DeletedPeople, PersonRow } from "./account-ports";
import { findPerson, isLastAdmin } from "./accounts";
import type { Dialect } from "./engine";
import type { DB } from "./schema";
import { endLinks } from "./shares";
import { isKnownTable } from "./usage";

export function openDeletedPeople(db: Kysely<DB>, dialect: Dialect): DeletedPeople {
  return {
    begin: (id, at) => db.transaction().execute((trx) => begin(trx, id, at)),
    unfinished: () => db.selectFrom("deleted_person").select(["id", "at"]).orderBy("at").execute(),
    async conversations(id, { limit, after }) {
      let query = db.selectFrom("conversation").select("id").where("user_id", "=", id);
      if (after !== undefined) query = query.where("id", ">", after);
      const rows = await query.orderBy("id").limit(limit).execute();
      return rows.map((row) => row.id);
    },
    async deleteFiles(id, limit) {
      const rows = await db
        .deleteFrom("attachment")
        .where("id", "in", (eb) =>
          eb
            .selectFrom("attachment")
            .select("id")
            .where("user_id", "=", id)
            .where("conversation_id", "is", null)
            .limit(limit),
        )
        .returning("id")
        .execute();
      return rows.map((row) => row.id);
    },
    deleteRest: (id) =>
      db.transaction().execute(async (trx) => {
        for (const table of bounded) await trx.deleteFrom(table).where("user_id", "=", id).execute();
        for (const table of await newerTables(trx, dialect))
          await sql`delete from ${sql.table(table)} where user_id = ${id}`.execute(trx);
      }),
    async end(id) {
      await db.deleteFrom("deleted_person").where("id", "=", id).execute();
    },
  };
}

/** What everybody has a quota of, so that one transaction takes it; all other tables go with conversations or with the account. */
const bounded = [
  "gateway_session",
  "hook_delivery",
  "matrix",
  "schedule",
  "assistant",
  "project",
  "prompt",
  "setting",
  "usage_day",
] as const;

/** Tables of a newer version whose rows say whose they are. */
async function newerTables(trx: Transaction<DB>, dialect: Dialect): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(owned[dialect]).execute(trx);
  return rows.flatMap(({ name }) => (isKnownTable(name) ? [] : name));
}

const owned: Record<Dialect, string> = {
  sqlite: `select m.name from sqlite_schema m join pragma_table_info(m.name) c
    where m.type = 'table' and c.name = 'user_id'`,
  postgres: `select relname as name from pg_class t join pg_attribute on attrelid = t.oid
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and attname = 'user_id' and not attisdropped`,
};

async function begin(
  trx: Transaction<DB>,
  id: string,
  at: number,
): Promise<"last_admin" | PersonRow | undefined> {
  const person = await findPerson(trx, "id", id);
  if (!person) return undefined;
  if (await isLastAdmin(trx, id)) return "last_admin";
  await trx.insertInto("deleted_person").values({ id, at }).execute();
  await endLinks(trx, id);
  // Of two invitations for this address the other one would let them in again.
  await trx
    .deleteFrom("account_invitation")
    .where((eb) => eb.or([eb("invited_by", "=", id), eb("email", "=", person.email)]))
    .execute();
  // Those that an admin has made for others too.
  let links = trx.deleteFrom("account_verification");
  if (person.role === "member")
    // A passkey that is being added has its owner in the midst of its challenge.
    links = links.where((eb) => eb.or([eb("value", "=", id), eb("value", "like", `%"id":"${id}"%`)]));
  await links.execute();
  await trx.deleteFrom("api_token").where("user_id", "=", id).execute();
  const { founder } = await trx
    .selectFrom("account_user")
    .select("founder")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await trx.deleteFrom("account_user").where("id", "=", id).execute();
  if (founder === 1) await passOnFounder(trx);
  return person;
}

/** Without one, whoever has the printed address could make themselves an admin. */
async function passOnFounder(trx: Transaction<DB>): Promise<void> {
  await trx
    .updateTable("account_user")
    .set({ founder: 1 })
    .where("id", "=", (eb) =>
      eb
        .selectFrom("account_user")
        .select("id")
        .where("role", "=", "admin")
        .where("disabled", "=", 0)
        .orderBy("created_at")
        .orderBy("id")
        .limit(1),
    )
    .execute();
}
