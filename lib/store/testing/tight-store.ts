import { sql } from "kysely";
import { openStoreOn } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import { tempDir } from "./temp-store";

/** An empty store of which one file cannot grow, for which SQLite says the same as for a full disk, until `makeRoom`. */
export async function openTightStore(
  file: "records" | "log",
): Promise<{ store: Store; makeRoom: () => Promise<void> }> {
  const engine = await openSqliteEngine(tempDir());
  const store = await openStoreOn(engine);
  const limit = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(engine[file]);
  // Fewer than there are counts as those there are.
  await limit(1);
  return { store, makeRoom: async () => void (await limit(1_000_000)) };
}
