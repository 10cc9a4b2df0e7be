import { moveToPostgres } from "@/lib/server/entry/move-to-postgres";
import { onData } from "./on-data.mjs";

// `npm run move-to-postgres -- --from DATA_DIR --to DATABASE_URL`: a data folder becomes a PostgreSQL database.
await onData((env: NodeJS.ProcessEnv) => moveToPostgres(env, process.argv.slice(2), console.log));
