import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say, think, usage } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { withApplication } from "./testing/call-api";
import {
  fillApplication,
  keep,
  keptVersions,
  oldSecret,
  readEverything,
  readKept,
  restoreKept,
} from "./testing/old-data";

withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { APP_SECRET: oldSecret, TOOL_APPROVAL: "allow" },
);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function close(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
}

/** The application starts on another folder, as another process would. */
async function startOn(version: string): Promise<void> {
  const dataDir = join(mkdtempSync(join(tmpdir(), "meguri-old-data-")), "data");
  folders.push(join(dataDir, ".."));
  restoreKept(version, dataDir);
  await close();
  process.env.DATA_DIR = dataDir;
  await getDeps();
}

test("what this version stores is read the same after a restart, and can be kept for later ones", async () => {
  const model = await startOpenAiServer([
    [think("Round."), say("It means *around*."), usage(9, 4)],
    [say("A detour."), usage(8, 3)],
    [callTools({ name: "plain__echo", args: { text: "こだま" } })],
    [say("That is all."), usage(20, 5)],
  ]);
  await fillApplication(model);
  const read = await readEverything();
  const dataDir = process.env.DATA_DIR ?? "";
  await close();
  await getDeps();
  expect(await readEverything()).toEqual(read);
  // `KEEP_DATA=1 npm run unit -- app/api/old-data`, before the first migration of a version that follows a release.
  if (process.env.KEEP_DATA) {
    await close();
    keep(dataDir, read);
    await getDeps();
  }
  await model.close();
});

test.for(keptVersions())(
  "data of schema %s opens with every conversation, run and setting",
  async (version, context) => {
    onSqlite(context, "No version before has left data there.");
    await startOn(version);
    const read = new Map(await readEverything());
    const kept = readKept(version);
    expect([...read.keys()].toSorted()).toEqual(kept.map(([path]) => path).toSorted());
    expect(kept.flatMap(([path, before]) => differences(before, read.get(path), path))).toEqual([]);
  },
);

/** Where something is not as it was; a later version may tell more, also in the place of what was empty. */
function differences(before: unknown, now: unknown, at: string): string[] {
  if (before === null) return [];
  if (typeof before !== "object")
    return before === now ? [] : [`${at}: ${JSON.stringify(now)} in place of ${JSON.stringify(before)}`];
  const entries = Object.entries(before);
  const found: Record<string, unknown> = typeof now === "object" && now !== null ? { ...now } : {};
  const added =
    Array.isArray(before) && Object.keys(found).length > entries.length ? [`${at}: more items`] : [];
  return [...added, ...entries.flatMap(([key, value]) => differences(value, found[key], `${at}.${key}`))];
}
