import {
  type ExpressionBuilder,
  type Kysely,
  type OnConflictDatabase,
  type OnConflictTables,
  sql,
  type Transaction,
} from "kysely";
import { type DayUse, dayOf, type Use } from "@/lib/protocol/person-limits";
import type { Usage } from "@/lib/protocol/usage";
import type { UsageDays } from "./account-ports";
import { prepare } from "./prepare";
import type { DB } from "./schema";

export function openUsageDays(db: Kysely<DB>): UsageDays {
  return {
    async of(userId, since) {
      const rows = await db
        .selectFrom("usage_day")
        .select(["day", "tokens", "cost"])
        .where("user_id", "=", userId)
        .where("day", ">=", since)
        .orderBy("day", "desc")
        .execute();
      return rows.map(toDayUse);
    },
    async everybody(since, most) {
      const used = db.selectFrom("usage_day").where("day", ">=", since);
      const days = await used
        .groupBy("day")
        .select(({ fn }) => ["day", fn.sum("tokens").as("tokens"), fn.sum("cost").as("cost")])
        .orderBy("day", "desc")
        .execute();
      const people = await used
        .innerJoin("account_user", "account_user.id", "usage_day.user_id")
        .groupBy(["account_user.id", "account_user.name"])
        .select(({ fn }) => [
          ...(["account_user.id", "account_user.name"] as const),
          ...([fn.sum("tokens").as("tokens"), fn.sum("cost").as("cost")] as const),
        ])
        .orderBy(sql`sum(cost)`, "desc")
        .orderBy(sql`sum(tokens)`, "desc")
        .limit(most)
        .execute();
      return {
        days: days.map(toDayUse),
        people: people.map((row) => ({ id: row.id, name: row.name, ...toUse(row) })),
      };
    },
    add: (userId, at, usage) => db.transaction().execute((trx) => countUse(trx, { userId, at, usage })),
    async deleteBefore(day) {
      await db.deleteFrom("usage_day").where("day", "<", day).execute();
    },
  };
}

/** Adds what a run has used to the day on which it ends, in the transaction that stores its end. */
export async function countUse(
  trx: Transaction<DB>,
  { userId, at, usage }: { userId: string; at: number; usage: Usage },
): Promise<void> {
  const { inputTokens, outputTokens, cost = 0 } = usage;
  const tokens = inputTokens + outputTokens;
  if (tokens > 0 || cost > 0) await addUse(trx, { userId, day: dayOf(at), tokens, cost });
}

const addUse = prepare(
  ["userId", "day", "tokens", "cost"],
  (db, { userId, day, tokens, cost }: { userId: string } & DayUse) =>
    db
      .insertInto("usage_day")
      .values({ user_id: userId, day, tokens, cost })
      .onConflict((conflict) => conflict.columns(["user_id", "day"]).doUpdateSet(addedUse)),
);

/** For a day that has a row already: what it has, and what was to be its row. */
export const addedUse = ({
  eb,
  ref,
}: ExpressionBuilder<OnConflictDatabase<DB, "usage_day">, OnConflictTables<"usage_day">>) => ({
  tokens: eb("usage_day.tokens", "+", ref("excluded.tokens")),
  cost: eb("usage_day.cost", "+", ref("excluded.cost")),
});

/** PostgreSQL gives sums and big numbers as text. */
type Sums = { tokens: number | string | bigint; cost: number | string | bigint };

const toUse = ({ tokens, cost }: Sums): Use => ({ tokens: Number(tokens), cost: Number(cost) });

const toDayUse = ({ day, ...sums }: Sums & { day: string }): DayUse => ({ day, ...toUse(sums) });
