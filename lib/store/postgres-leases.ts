import { type Kysely, sql } from "kysely";
import type { Members } from "./engine";
import type { Leases } from "./leases";
import type { DB } from "./schema";

const now = sql<Date>`clock_timestamp()`;

/** Rows whose owner is a process of this database: with its row in `instance` a lease is over, too. */
export function openLeases(db: Kysely<DB>, members: Pick<Members, "id" | "holds">): Leases {
  /** Of this process: its own rows are taken again, as one may be left that could not be released. */
  const held = new Set<string>();
  const isTaken = (owner: string) =>
    sql<boolean>`(lease.owner <> ${owner} and lease.until > ${now}
      and exists (select from instance i where i.id = lease.owner and i.lease_until > ${now}))`;

  const insert = async (name: string, owner: string, mostMs: number): Promise<boolean> => {
    // Most who ask for one that is taken only read.
    const other = await db.selectFrom("lease").select("name").where("name", "=", name).where(isTaken(owner));
    if (await other.executeTakeFirst()) return false;
    const until = sql<Date>`${now} + ${mostMs} * interval '1 ms'`;
    const row = await db
      .insertInto("lease")
      .values({ name, owner, until })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet({ owner, until })
          .where(({ not }) => not(isTaken(owner))),
      )
      .returning("name")
      .executeTakeFirst();
    return row !== undefined;
  };
  return {
    async take(name, mostMs) {
      const owner = members.id;
      if (held.has(name) || !members.holds()) return undefined;
      held.add(name);
      // Before the statement is sent, by both clocks: each may stand still while a machine sleeps.
      const [at, wall] = [performance.now(), Date.now()];
      const isOver = () => Math.max(performance.now() - at, Date.now() - wall) >= mostMs;
      try {
        if (!(await insert(name, owner, mostMs))) {
          held.delete(name);
          return undefined;
        }
      } catch (cause) {
        held.delete(name);
        throw cause;
      }
      return {
        isHeld: () => held.has(name) && members.id === owner && members.holds() && !isOver(),
        async release() {
          if (!held.delete(name)) return;
          await db
            .deleteFrom("lease")
            .where("name", "=", name)
            .where("owner", "=", owner)
            .execute()
            .catch(() => {});
        },
      };
    },
  };
}
