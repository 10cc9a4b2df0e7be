import type { Kysely } from "kysely";
import { prepare } from "./prepare";
import type { DB } from "./schema";
import { isNotDeleted } from "./shown";
import type { KnownImport } from "./types";

/** Ids of one statement. */
const batchSize = 100;

/** What is here of the conversation that a file calls so. */
export async function findImport(
  db: Kysely<DB>,
  userId: string,
  { source, sourceId }: { source: string; sourceId: string },
): Promise<KnownImport | undefined> {
  const [imported] = await findSource(db, { userId, source, sourceId });
  const known = imported ?? (await findOwn(db, userId, source, sourceId));
  if (!known) return undefined;
  const rows = await db
    .selectFrom("message")
    .select("id")
    .where("conversation_id", "=", known.conversationId)
    .execute();
  return { ...known, messageIds: new Set(rows.map(({ id }) => id)) };
}

/** Those of these ids that something has already. */
export async function findTaken(
  db: Kysely<DB>,
  userId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const taken = new Set<string>();
  for (let at = 0; at < ids.length; at += batchSize)
    for (const { id } of await selectTaken(db, userId, ids.slice(at, at + batchSize))) taken.add(id);
  return taken;
}

const findSource = prepare(
  ["userId", "source", "sourceId"],
  (db, { userId, source, sourceId }: { userId: string; source: string; sourceId: string }) =>
    db
      .selectFrom("import_source as i")
      .innerJoin("conversation as c", "c.id", "i.conversation_id")
      .select(["c.id as conversationId", "i.hash"])
      .where("i.user_id", "=", userId)
      .where("i.source", "=", source)
      .where("i.source_id", "=", sourceId)
      .where(isNotDeleted),
);

/** What was exported here and has never left. */
async function findOwn(db: Kysely<DB>, userId: string, source: string, id: string) {
  if (source !== "meguri") return undefined;
  const row = await db
    .selectFrom("conversation as c")
    .select("c.id")
    .where("c.user_id", "=", userId)
    .where("c.id", "=", id)
    .where(isNotDeleted)
    .executeTakeFirst();
  return row && { conversationId: row.id, hash: null };
}

const selectTaken = (db: Kysely<DB>, userId: string, ids: readonly string[]) => {
  const [id, ...others] = ids;
  // Of most conversations a file names one id alone.
  if (id !== undefined && others.length === 0) return selectOneTaken(db, { userId, id });
  return takenAmong(db, userId, ids).execute();
};

const selectOneTaken = prepare(["userId", "id"], (db, { userId, id }: { userId: string; id: string }) =>
  takenAmong(db, userId, [id]),
);

const takenAmong = (db: Kysely<DB>, userId: string, ids: readonly string[]) =>
  db
    .selectFrom("conversation")
    .select("id")
    .where("id", "in", ids)
    .unionAll(db.selectFrom("run").select("id").where("id", "in", ids))
    .unionAll(db.selectFrom("deleted_run").select("id").where("id", "in", ids))
    .unionAll(db.selectFrom("attachment").select("id").where("id", "in", ids))
    .unionAll(
      db
        .selectFrom("message")
        .select("client_message_id as id")
        .where("user_id", "=", userId)
        .where("client_message_id", "in", ids)
        .$castTo<{ id: string }>(),
    )
    .unionAll(
      db
        .selectFrom("queued_message")
        .select("client_message_id as id")
        .where("user_id", "=", userId)
        .where("client_message_id", "in", ids),
    );
