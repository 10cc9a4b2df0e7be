import type { TestContext } from "vitest";

export const isOnPostgres = process.env.STORE_ENGINE === "postgres";

/** For the first line of a test: it is about what there is not on PostgreSQL. `reason` says why not, or where that is tested. */
export const onSqlite = ({ skip }: TestContext, reason: string): void => skip(isOnPostgres, reason);
