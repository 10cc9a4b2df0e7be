import { randomUUID } from "node:crypto";
import type { EngineMembers } from "./engine";

/** Of a database that one process has for itself: whoever had it before is gone. */
export function loneMember(): EngineMembers {
  const id = randomUUID();
  return {
    id,
    mayBeMany: false,
    hasOthers: false,
    holds: () => true,
    remainingMs: () => Number.POSITIVE_INFINITY,
    onLost: () => () => {},
    ended: async (ids) => ids.filter((other) => other !== id),
  };
}
