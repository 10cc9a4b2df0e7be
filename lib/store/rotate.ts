import type { Kysely, Transaction } from "kysely";
import type { Store } from "./ports";
import type { DB } from "./schema";
import { AnyValue, readJson, writeJson } from "./stored-json";

export const openRotation = (db: Kysely<DB>): Pick<Store, "rotate"> => ({
  rotate: (change, tokenHashOf) =>
    db.transaction().execute(async (trx) => {
      const rows = await trx
        .selectFrom("setting")
        .select(["key", "value"])
        .where("user_id", "=", "system")
        .execute();
      const before = new Map(
        rows.map(({ key, value }) => [key, readJson(`setting ${key}`, value, AnyValue)]),
      );
      for (const [key, value] of change(before)) await write(trx, key, value);
      await trx.deleteFrom("account_session").execute();
      return { links: await readdress(trx, tokenHashOf) };
    }),
});

async function write(trx: Transaction<DB>, key: string, value: unknown): Promise<void> {
  const where = { user_id: "system", key };
  await trx.deleteFrom("setting").where("user_id", "=", "system").where("key", "=", key).execute();
  if (value !== null)
    await trx
      .insertInto("setting")
      .values({ ...where, value: writeJson(value) })
      .execute();
}

/** How many links got another address; the former ones are over. */
async function readdress(trx: Transaction<DB>, tokenHashOf: (id: string) => string): Promise<number> {
  await trx
    .insertInto("ended_link")
    .columns(["token_hash"])
    .expression((eb) =>
      eb
        .selectFrom("share")
        .select("token_hash")
        .where("token_hash", "not in", eb.selectFrom("ended_link").select("token_hash")),
    )
    .execute();
  const shares = await trx.selectFrom("share").select(["id", "revoked_at"]).execute();
  for (const { id } of shares)
    await trx
      .updateTable("share")
      .set({ token_hash: tokenHashOf(id) })
      .where("id", "=", id)
      .execute();
  return shares.filter(({ revoked_at }) => revoked_at === null).length;
}
