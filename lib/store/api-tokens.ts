import type { Kysely, Selectable } from "kysely";
import { z } from "zod";
import { type TokenOptions, tokenScopes } from "@/lib/protocol/api-tokens";
import { prepare } from "./prepare";
import type { DB } from "./schema";
import { readJson, writeJson } from "./stored-json";
import type { ApiTokenRow, ApiTokens } from "./token-ports";

const Scopes = z.array(z.enum(tokenScopes));
const Options = z.object({
  servers: z.array(z.string()).optional(),
  names: z.enum(["qualified", "plain"]).optional(),
  onApproval: z.enum(["wait", "fail"]).optional(),
  waitMs: z.number().optional(),
  revokedAt: z.number().optional(),
  grant: z
    .object({
      ...{
        clientId: z.string(),
        code: z.string(),
        family: z.string().optional(),
        refresh: z.string().optional(),
      },
      asked: z.object({ challenge: z.string(), redirectUri: z.string() }).optional(),
      endsAt: z.number(),
    })
    .optional(),
});

type Kept = TokenOptions & Pick<ApiTokenRow, "revokedAt" | "grant">;

/** What is there in place of the hash of a token that was revoked: older programs do not find it either. */
const revoked = "revoked:";

export function openApiTokens(db: Kysely<DB>): ApiTokens {
  return {
    add: ({ tokenHash, ...row }, most) =>
      db.transaction().execute(async (trx) => {
        const { count } = await trx
          .selectFrom("api_token")
          .select((eb) => eb.fn.countAll<number>().as("count"))
          .where("user_id", "=", row.userId)
          .where("token_hash", "not like", `${revoked}%`)
          .executeTakeFirstOrThrow();
        if (count >= most) return false;
        await trx
          .insertInto("api_token")
          .values({
            ...{ id: row.id, user_id: row.userId, token_hash: tokenHash, name: row.name, start: row.start },
            ...{
              scopes: writeJson(row.scopes),
              options: writeJson(optionsOf(row)),
              created_at: row.createdAt,
            },
            ...{ expires_at: row.expiresAt, last_used_at: row.lastUsedAt },
          })
          .execute();
        return true;
      }),
    async list(userId) {
      const rows = await db
        .selectFrom("api_token")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toRow);
    },
    async byHash(tokenHash) {
      const [row] = await selectByHash(db, { tokenHash });
      if (!row) return undefined;
      const { owner, email, role, disabled } = row;
      const isAccount = owner !== null && email !== null && role !== null;
      return {
        token: toRow(row),
        owner: isAccount ? { name: owner, email, role, disabled: disabled === 1 } : undefined,
      };
    },
    async byId(id) {
      const row = await db.selectFrom("api_token").selectAll().where("id", "=", id).executeTakeFirst();
      return row && { ...toRow(row), tokenHash: row.token_hash };
    },
    renew: (id, from, { tokenHash, start, expiresAt, grant }) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .selectFrom("api_token")
          .select("options")
          .where("id", "=", id)
          .executeTakeFirst();
        if (!row) return false;
        const options = writeJson({ ...readOptions(id, row.options), grant });
        const { numUpdatedRows } = await trx
          .updateTable("api_token")
          .set({ token_hash: tokenHash, start, expires_at: expiresAt, options })
          .where("id", "=", id)
          .where("token_hash", "=", from)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
    revoke: (userId, id, at, keep) =>
      db.transaction().execute(async (trx) => {
        const found = await trx
          .selectFrom("api_token")
          .select("options")
          .where("id", "=", id)
          .where("user_id", "=", userId)
          .where("token_hash", "not like", `${revoked}%`)
          .executeTakeFirst();
        if (!found) return false;
        const options = readOptions(id, found.options);
        await trx
          .updateTable("api_token")
          .set({ token_hash: `${revoked}${id}`, options: writeJson({ ...options, revokedAt: at }) })
          .where("id", "=", id)
          .execute();
        await keepNewest(trx, userId, keep);
        return true;
      }),
    async delete(userId, id) {
      const gone = await db
        .deleteFrom("api_token")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .returning("id")
        .execute();
      return gone.length > 0;
    },
    async deleteAll(userId) {
      await db.deleteFrom("api_token").where("user_id", "=", userId).execute();
    },
    async noteUsed(id, at) {
      await db.updateTable("api_token").set({ last_used_at: at }).where("id", "=", id).execute();
    },
  };
}

async function keepNewest(trx: Kysely<DB>, userId: string, keep: number): Promise<void> {
  const rows = await trx
    .selectFrom("api_token")
    .selectAll()
    .where("user_id", "=", userId)
    .where("token_hash", "like", `${revoked}%`)
    .execute();
  const kept = rows.map(toRow).toSorted((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0));
  const gone = kept.slice(keep).map(({ id }) => id);
  if (gone.length > 0) await trx.deleteFrom("api_token").where("id", "in", gone).execute();
}

const readOptions = (id: string, options: string | null): Kept =>
  readJson<Kept>(`API token ${id}`, options ?? "{}", Options);

const optionsOf = ({ options, grant }: Pick<ApiTokenRow, "options" | "grant">): Kept => ({
  ...options,
  ...(grant && { grant }),
});

function toRow(row: Selectable<DB["api_token"]>): ApiTokenRow {
  const { revokedAt, grant, ...options } = readOptions(row.id, row.options);
  return {
    ...{ id: row.id, userId: row.user_id, name: row.name, start: row.start },
    scopes: readJson(`API token ${row.id}`, row.scopes, Scopes),
    options,
    ...{ createdAt: row.created_at, expiresAt: row.expires_at, lastUsedAt: row.last_used_at },
    ...(revokedAt !== undefined && { revokedAt }),
    ...(grant && { grant }),
  };
}

/** Asked with each request of a program. */
const selectByHash = prepare(["tokenHash"], (db, { tokenHash }: { tokenHash: string }) =>
  db
    .selectFrom("api_token as t")
    .leftJoin("account_user as u", "u.id", "t.user_id")
    .selectAll("t")
    .select(["u.name as owner", "u.email", "u.role", "u.disabled"])
    .where("t.token_hash", "=", tokenHash),
);
