import type { Kysely } from "kysely";
import { StoreError } from "./errors";
import type { Documents } from "./kept-ports";
import type { DB } from "./schema";

/** Of one text, in UTF-8. */
const maxBytes = 64 * 1024 * 1024;

export function openDocuments(db: Kysely<DB>): Documents {
  const under = (prefix: string) =>
    db
      .selectFrom("document")
      .select(["name", "version"])
      .where(({ eb, fn, val }) => eb(fn<string>("substr", ["name", val(1), val(prefix.length)]), "=", prefix))
      .orderBy("name")
      .execute();
  return {
    read: (name) =>
      db.selectFrom("document").select(["text", "version"]).where("name", "=", name).executeTakeFirst(),
    async write(name, text, version) {
      if (Buffer.byteLength(text) > maxBytes)
        throw new StoreError("invalid", `${name} is larger than ${maxBytes} bytes.`);
      const now = { text, changed_at: Date.now() };
      // One statement: of two that write at once the one that comes second finds another version.
      const row =
        version === undefined
          ? await db
              .insertInto("document")
              .values({ name, version: 1, ...now })
              .onConflict((conflict) => conflict.column("name").doNothing())
              .returning("version")
              .executeTakeFirst()
          : await db
              .updateTable("document")
              .set({ version: version + 1, ...now })
              .where("name", "=", name)
              .where("version", "=", version)
              .returning("version")
              .executeTakeFirst();
      return row?.version;
    },
    async delete(name) {
      await db.deleteFrom("document").where("name", "=", name).execute();
    },
    async versions(names) {
      if (names.length === 0) return new Map();
      const rows = await db
        .selectFrom("document")
        .select(["name", "version"])
        .where("name", "in", names)
        .execute();
      return new Map(rows.map(({ name, version }) => [name, version]));
    },
    async names(prefix) {
      return (await under(prefix)).map(({ name }) => name);
    },
    async versionsUnder(prefix) {
      return new Map((await under(prefix)).map(({ name, version }) => [name, version]));
    },
  };
}
