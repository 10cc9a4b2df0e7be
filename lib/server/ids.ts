import { randomFillSync } from "node:crypto";
import { v7 } from "uuid";
import { isTemporaryId } from "@/lib/protocol/temporary";

/** For many ids: to ask for those of each takes longer than all the rest of it. */
const pool = Buffer.alloc(4_096);
let used = pool.length;
let [msecs, seq] = [0, 0];

/** UUIDv7: sorts by the time it was made, so that indexes grow at their end. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + 16);
  used += random.length;
  const now = Date.now();
  // Those of one millisecond are counted, and those after a clock was set back; from half of 32 bits there is room for that.
  [msecs, seq] = now > msecs ? [now, random.readUInt32BE() >>> 1] : [msecs, seq + 1];
  return v7({ random, msecs, seq });
}

/** UUIDv8 with the bits of a version 7: sorts as that does, see `isTemporaryId`. */
export const newTemporaryId = (): string => newId().replace(/^(.{14})7/, "$18");

/** For what belongs to this one, and is temporary where it is. */
export const newIdLike = (id: string): string => (isTemporaryId(id) ? newTemporaryId() : newId());

/** Everything runs as this one user until there are accounts. */
export const localUser = "local";
