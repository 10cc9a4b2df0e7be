import { type Kysely, sql } from "kysely";
import type { Bus } from "./bus";
import type { CommandRow, Commands } from "./command-ports";
import type { Members } from "./engine";
import { StoreError } from "./errors";
import { toRow } from "./run-rows";
import type { DB } from "./schema";

const maxOfRun = 20;
const maxOfOwner = 200;
/** An answer is at most 1 MB as it is sent. */
const maxBytes = 2 * 1024 * 1024;
/** With their bodies, so that what is read at once has a bound. */
const batch = 20;
const keptMs = 60_000;

/** By the server's clock, as processes may be on several machines. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Whose run it is is asked when a command is given and when it is carried out: it may change hands in between. */
export function openCommands(db: Kysely<DB>, members: Pick<Members, "id">, bus: Bus): Commands {
  const isOpen = () => db.selectFrom("run_command").where("done_at", "is", null);
  const drivenElsewhere = (runId: string) => sql<{ owner_id: string }>`
    select r.owner_id from (
      select case when status = 'running' then owner_id else held_by end as owner_id, status from run where id = ${runId}
    ) r where r.owner_id <> ${members.id}
    and (r.status = 'running' or exists (select from instance i where i.id = r.owner_id))`;
  return {
    async give({ id, runId, kind, body }) {
      if (Buffer.byteLength(body) > maxBytes)
        throw new StoreError("invalid", `The command ${kind} is larger than ${maxBytes} bytes.`);
      const { rows } = await sql<{ owner_id: string }>`
        insert into run_command (id, run_id, owner_id, asker_id, kind, body, at)
        select ${id}, ${runId}, r.owner_id, ${members.id}, ${kind}, ${body}, ${now} from (${drivenElsewhere(runId)}) r
        where (select count(*) from run_command c where c.run_id = ${runId} and c.done_at is null) < ${maxOfRun}
        and (select count(*) from run_command c where c.owner_id = r.owner_id and c.done_at is null) < ${maxOfOwner}
        returning owner_id`.execute(db);
      for (const { owner_id } of rows) bus.publish(`instance:${owner_id}`, "asked");
      if (rows.length > 0) return "given";
      return (await drivenElsewhere(runId).execute(db)).rows.length > 0 ? "full" : "nobody";
    },
    async due(except) {
      const rows = await isOpen()
        .innerJoin("run", "run.id", "run_command.run_id")
        .where("run.owner_id", "=", members.id)
        .$if(except.length > 0, (query) => query.where("run_command.id", "not in", except))
        .selectAll("run")
        .select(["run_command.id as command_id", "run_command.kind", "run_command.body"])
        .orderBy("run_command.at")
        .limit(batch)
        .execute();
      return rows.map(
        ({ command_id: id, kind, body, ...run }): CommandRow => ({ id, kind, body, run: toRow(run) }),
      );
    },
    async open(runIds) {
      if (runIds.length === 0) return [];
      const rows = await isOpen().where("run_id", "in", runIds).select(["id", "run_id", "kind"]).execute();
      return rows.map(({ run_id: runId, ...row }) => ({ ...row, runId }));
    },
    async settle(id, outcome) {
      const settled = await db
        .updateTable("run_command")
        .set({ outcome, done_at: now })
        .where("id", "=", id)
        .where("done_at", "is", null)
        .returning("asker_id")
        .executeTakeFirst();
      if (settled) bus.publish(`instance:${settled.asker_id}`, "answered");
    },
    async collect(ids) {
      const rows = await db
        .selectFrom("run_command")
        .select(["id", "outcome"])
        .where("id", "in", ids)
        .where("outcome", "is not", null)
        .execute();
      const outcomes = new Map(rows.flatMap(({ id, outcome }) => (outcome === null ? [] : [[id, outcome]])));
      if (outcomes.size > 0)
        await db
          .deleteFrom("run_command")
          .where("id", "in", [...outcomes.keys()])
          .execute();
      return outcomes;
    },
    async withdraw(id) {
      await db.deleteFrom("run_command").where("id", "=", id).execute();
    },
    async sweep() {
      await db.deleteFrom("run_command").where("at", "<", sql<number>`${now} - ${keptMs}`).execute();
    },
  };
}
