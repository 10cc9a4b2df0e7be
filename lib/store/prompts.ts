import type { Kysely } from "kysely";
import { isNamed, type PromptFields } from "@/lib/protocol/prompts";
import { StoreError } from "./errors";
import type { Prompts } from "./kept-ports";
import { ownedBodies } from "./owned-bodies";
import type { DB } from "./schema";
import { PromptBody } from "./stored-json";

const bodies = ownedBodies<PromptFields>("prompt", PromptBody);

export function openPrompts(db: Kysely<DB>): Prompts {
  return {
    add: (row, quota) => db.transaction().execute((trx) => bodies.add(trx, row, quota)),
    list: (userId, { name, ...page }) =>
      bodies.list(db, userId, page, name === undefined ? undefined : (fields) => isNamed(fields.name, name)),
    get: (userId, id) => bodies.get(db, userId, id),
    async update(userId, id, change, quota) {
      const changed = await db
        .transaction()
        .execute((trx) => bodies.update(trx, { userId, id }, change, quota));
      if (changed === undefined) throw new StoreError("not_found", "There is no such prompt.");
      return changed !== null;
    },
    delete: (userId, id) => bodies.delete(db, userId, id),
  };
}
