import { v7 } from "uuid";
import { isTemporaryId } from "@/lib/protocol/temporary";

/** UUIDv7: sorts by the time it was made, so that indexes grow at their end. */
export const newId = (): string => v7();

/** UUIDv8 with the bits of a version 7: sorts as that does, see `isTemporaryId`. */
export const newTemporaryId = (): string => v7().replace(/^(.{14})7/, "$18");

/** For what belongs to this one, and is temporary where it is. */
export const newIdLike = (id: string): string => (isTemporaryId(id) ? newTemporaryId() : newId());

/** Everything runs as this one user until there are accounts. */
export const localUser = "local";
