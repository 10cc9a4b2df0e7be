import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type StoreOptions } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";

/** A folder that is gone after the test. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "meguri-store-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A store on real files, closed after the test. */
export async function openTempStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ dataDir: tempDir(), ...options });
  onTestFinished(() => store.close());
  return store;
}
