import { v7 } from "uuid";

/** UUIDv7: sorts by the time it was made, so that indexes grow at their end. */
export const newId = (): string => v7();

/** Everything runs as this one user until there are accounts. */
export const localUser = "local";
