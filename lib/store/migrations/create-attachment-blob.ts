import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";

/**
 * The bytes of attached files, in parts, where every process finds them. With SQLite they lie in a folder. The table knows
 * nothing of `attachment`: bytes come before their row, and to delete those of a whole conversation in its transaction would
 * take longer than a statement may.
 */
export async function createAttachmentBlob(db: Kysely<DB>, _tell: unknown, dialect: Dialect): Promise<void> {
  if (dialect !== "postgres") return;
  await sql`
    create table attachment_blob (
      name text collate "C" not null,
      part bigint not null,
      bytes bytea not null,
      written_at timestamptz not null default clock_timestamp(),
      primary key (name, part)
    )`.execute(db);
  // Pictures and documents are packed already.
  await sql`alter table attachment_blob alter column bytes set storage external`.execute(db);
}
