import type { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { migrate } from "@/lib/store/migrations/migrate";
import { LocalBus } from "./bus";
import type { Engine } from "./engine";
import { loneLeases } from "./leases";
import { loneMember } from "./lone-member";
import { MemoryRoom } from "./memory-room";
import type { DB } from "./schema";
import { sqliteDialect } from "./sqlite-dialect";
import { memoryPath } from "./sqlite-fault";
import { openLogWriter } from "./sqlite-log-writer";

/**
 * SQLite without a file: records and logs in one database of this process, at most `maxBytes` of memory with what its room is
 * asked for beside it. Nothing of it reaches a disk, also no large sort (`temp_store`); closing it gives all of it back.
 */
export async function openMemoryEngine(maxBytes: number): Promise<{ engine: Engine; room: MemoryRoom }> {
  const opened = Promise.withResolvers<DatabaseSync>();
  const dialect = sqliteDialect(memoryPath, "normal", {
    onOpen(file) {
      file.exec("pragma temp_store = memory; pragma secure_delete = on");
      opened.resolve(file);
    },
  });
  const db = new Kysely<DB>({ dialect });
  await migrate(db, ["records", "log"], memoryPath);
  const file = await opened.promise;
  const room = new MemoryRoom(file, maxBytes);
  const writer = openLogWriter(file, memoryPath);
  const engine: Engine = {
    dialect: "sqlite",
    members: loneMember(),
    bus: new LocalBus(),
    leases: loneLeases,
    records: db,
    log: db,
    // While it has the connection, no transaction of Kysely is open.
    write: (work) =>
      db.connection().execute(async () =>
        writer.write(
          (plain) =>
            work({
              ...plain,
              insert(appends) {
                room.checkAppends(appends);
                plain.insert(appends);
              },
            }),
          false,
        ),
      ),
    unsettled: writer.unsettled,
    sizes: async () => ({ tables: {}, unused: 0 }),
    giveBack: (pages) =>
      db.connection().execute(async () => {
        file.exec(`pragma incremental_vacuum(${pages})`);
        return Number(file.prepare("pragma freelist_count").get()?.freelist_count) > 0;
      }),
    checkpoint: async () => {},
    // It ends with its last conversation, and nothing of it is left.
    empty: () => Promise.reject(new Error("A store in memory is closed, not emptied.")),
    confirm: async () => {},
    close: () => db.destroy(),
  };
  return { engine, room };
}
