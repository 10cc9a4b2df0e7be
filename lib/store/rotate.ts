import type { Kysely, Transaction } from "kysely";
import type { Store } from "./ports";
import type { DB } from "./schema";
import { endLinks } from "./shares";
import { AnyValue, readJson, writeJson } from "./stored-json";

export const openRotation = (db: Kysely<DB>): Pick<Store, "rotate"> => ({
  rotate: ({ fits, change }, tokenHashOf) =>
    db.transaction().execute(async (trx) => {
      const names = await trx.selectFrom("setting").select(["user_id as owner", "key"]).execute();
      for (const at of names.filter(({ key }) => fits(key))) await rewrite(trx, at, change);
      await trx.deleteFrom("account_session").execute();
      return { links: await readdress(trx, tokenHashOf) };
    }),
});

async function rewrite(
  trx: Transaction<DB>,
  at: { owner: string; key: string },
  change: (value: unknown, at: { owner: string; key: string }) => unknown,
): Promise<void> {
  const isIt = { user_id: at.owner, key: at.key };
  const { value } = await trx
    .selectFrom("setting")
    .select("value")
    .where(({ and }) => and(isIt))
    .executeTakeFirstOrThrow();
  const next = change(readJson(`setting ${at.key}`, value, AnyValue), at);
  if (next === null)
    await trx
      .deleteFrom("setting")
      .where(({ and }) => and(isIt))
      .execute();
  else
    await trx
      .updateTable("setting")
      .set({ value: writeJson(next) })
      .where(({ and }) => and(isIt))
      .execute();
}

/** How many links got another address; the former ones are over. */
async function readdress(trx: Transaction<DB>, tokenHashOf: (id: string) => string): Promise<number> {
  await endLinks(trx);
  const shares = await trx.selectFrom("share").select(["id", "revoked_at"]).execute();
  for (const { id } of shares)
    await trx
      .updateTable("share")
      .set({ token_hash: tokenHashOf(id) })
      .where("id", "=", id)
      .execute();
  // With a secret that was in use before they have their former addresses again.
  await trx
    .deleteFrom("ended_link")
    .where("token_hash", "in", (eb) => eb.selectFrom("share").select("token_hash"))
    .execute();
  return shares.filter(({ revoked_at }) => revoked_at === null).length;
}
