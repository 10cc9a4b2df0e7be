import type { Kysely } from "kysely";
import type { AssistantFields } from "@/lib/protocol/assistants";
import { StoreError } from "./errors";
import type { Assistants } from "./kept-ports";
import { ownedBodies } from "./owned-bodies";
import type { DB } from "./schema";
import { AssistantBody } from "./stored-json";

const bodies = ownedBodies<AssistantFields>("assistant", AssistantBody);

export function openAssistants(db: Kysely<DB>): Assistants {
  return {
    add: (row, quota) => db.transaction().execute((trx) => bodies.add(trx, row, quota)),
    list: (userId, page) => bodies.list(db, userId, page),
    get: (userId, id) => bodies.get(db, userId, id),
    async update(userId, id, change, quota) {
      const changed = await db
        .transaction()
        .execute((trx) => bodies.update(trx, { userId, id }, change, quota));
      if (changed === undefined) throw new StoreError("not_found", "There is no such assistant.");
      return changed !== null;
    },
    delete: (userId, id) => bodies.delete(db, userId, id),
  };
}
