import { sql } from "kysely";
import { openStoreOn } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import { tempDir } from "./temp-store";

interface TightStore {
  store: Store;
  /** From now on the file cannot grow. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

/** An empty store of which one file cannot grow, for which SQLite says the same as for a full disk, until `makeRoom`. */
export async function openTightStore(file: "records" | "log"): Promise<TightStore> {
  const engine = await openSqliteEngine(tempDir());
  const store = await openStoreOn(engine);
  const limit = async (pages: number) => {
    await sql.raw(`pragma max_page_count = ${pages}`).execute(engine[file]);
  };
  // Fewer than there are counts as those there are.
  const fill = () => limit(1);
  await fill();
  return { store, fill, makeRoom: () => limit(1_000_000) };
}
