import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openStore } from "@/lib/store/open-store";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder with an empty store, of which each test gets a copy: to copy it takes less than to make its tables. */
    emptyStore: string;
  }
}

/** Once for each project of one run of the tests. */
export default async function setup(project: TestProject): Promise<() => void> {
  const dataDir = mkdtempSync(join(tmpdir(), "meguri-store-"));
  await (await openStore({ dataDir })).close();
  project.provide("emptyStore", dataDir);
  return () => rmSync(dataDir, { recursive: true });
}
