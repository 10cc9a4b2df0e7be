import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { plantDocuments } from "@/lib/mcp/kept-places";
import { inParts } from "@/lib/server/attachments/blob-folder";
import { idOf } from "@/lib/server/attachments/byte-folder";
import { DiskFolder } from "@/lib/server/attachments/disk-folder";
import { type Env, readEnv, StartError } from "@/lib/server/env";
import { isStoreError } from "@/lib/server/http/store-failure";
import { endCutRuns } from "@/lib/server/runs/recover-runs";
import { checkKeptSecret } from "@/lib/server/secrets";
import { type MovePlace, moveData } from "@/lib/store/moving/move-data";
import { SourceFolder } from "@/lib/store/moving/source-folder";
import { checkTarget } from "@/lib/store/moving/target-database";
import { openStoreThere } from "./adopt";
import { movedLines, tryLines } from "./moved-lines";

type Variables = Readonly<Record<string, string | undefined>>;

const usage = "npm run move-to-postgres -- --from DATA_DIR --to DATABASE_URL [--dry-run]";

/**
 * Brings a data folder into an empty PostgreSQL database, all or nothing; gives the lines to print. Without `--from` and `--to`
 * DATA_DIR and DATABASE_URL say where. `tell` is given a line each few seconds. Throws StartError, and what `openStore` throws.
 */
export async function moveToPostgres(
  variables: Variables,
  args: readonly string[],
  tell: (line: string) => void,
): Promise<string[]> {
  const { env, url, isDry } = readMove(variables, args);
  await checkTarget(url);
  return isDry ? tryMove(env) : move(env, url, tell);
}

/** npm has changed the folder since it was typed. */
function readMove(variables: Variables, args: readonly string[]): { env: Env; url: string; isDry: boolean } {
  const { from, to, "dry-run": isDry = false } = readOptions(args);
  if (!(to ?? variables.DATABASE_URL)) throw new StartError(`Say where to: ${usage}`);
  const database = { DATABASE_URL: to ?? variables.DATABASE_URL, APP_SECRET: "x".repeat(32) };
  const { DATABASE_URL: url = "" } = readEnv(database);
  const dataDir = from === undefined ? variables.DATA_DIR : resolve(variables.INIT_CWD ?? ".", from);
  const env = readEnv({ ...variables, DATABASE_URL: "", MCP_CONFIG_MODE: "", DATA_DIR: dataDir });
  if (!existsSync(join(env.DATA_DIR, "meguri.db")))
    throw new StartError(`${env.DATA_DIR} holds no data of Meguri: ${usage}`);
  return { env, url, isDry };
}

function readOptions(args: readonly string[]) {
  const options = {
    from: { type: "string" },
    to: { type: "string" },
    "dry-run": { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    throw new StartError(`${(cause as Error).message} ${usage}`);
  }
}

/** Neither the folder nor the database is changed. */
async function tryMove({ DATA_DIR: dataDir }: Env): Promise<string[]> {
  const folder = await SourceFolder.open(dataDir);
  try {
    return tryLines(dataDir, folder.counts(), folder.isNewest);
  } finally {
    folder.close();
  }
}

async function move(env: Env, url: string, tell: (line: string) => void): Promise<string[]> {
  const { DATA_DIR: dataDir, APP_SECRET: given } = env;
  const interrupted = await finishFolder(env);
  const folder = await SourceFolder.open(dataDir);
  try {
    const known = new Set(
      [...folder.records<{ id: string }>("select id from attachment")].map(({ id }) => id),
    );
    const files = { found: 0, missing: known.size };
    let documents = 0;
    const rows = await moveData({
      folder,
      url,
      tell,
      beside: async (place) => {
        documents = await addDocuments(env, place);
        Object.assign(files, await addFiles(dataDir, known, place));
      },
    });
    return movedLines({ env, isSecretGiven: given !== undefined, rows, documents, files, interrupted });
  } catch (cause) {
    throw isStoreError(cause) ? new StartError(`${(cause as Error).message} Nothing was moved.`) : cause;
  } finally {
    folder.close();
  }
}

/** Brings the folder to this version, ends what a crash cut short, and sees that its secret is there. How many runs were ended. */
async function finishFolder({ DATA_DIR, APP_SECRET }: Env): Promise<number> {
  const store = await openStoreThere({ DATA_DIR, DATABASE_URL: undefined });
  try {
    await checkKeptSecret(DATA_DIR, store, APP_SECRET);
    const log = pino({ level: "error", base: null }, process.stderr);
    return await endCutRuns({ store, runs: { get: () => undefined }, log });
  } finally {
    await store.close();
  }
}

async function addDocuments(
  { MCP_CONFIG: configPath, DATA_DIR: dataDir }: Env,
  { documents }: MovePlace,
): Promise<number> {
  try {
    return await plantDocuments({ configPath, dataDir, documents: { label: "PostgreSQL", ...documents } });
  } catch (cause) {
    if (isStoreError(cause)) throw cause;
    throw new StartError(
      `What ${configPath} says of MCP servers, or what was accepted of their tools, cannot be read: ${(cause as Error).message} Nothing was moved.`,
    );
  }
}

/** Files that no row speaks of stay. */
async function addFiles(dataDir: string, known: ReadonlySet<string>, { addPart }: MovePlace) {
  const folder = new DiskFolder(join(dataDir, "attachments"));
  const names = (await folder.names()).filter((name) => !name.endsWith(".part") && known.has(idOf(name)));
  for (const name of names) {
    let part = 0;
    for await (const bytes of inParts(folder.pieces(name))) await addPart(name, part++, bytes);
    // One without a byte is there too.
    if (part === 0) await addPart(name, 0, new Uint8Array());
  }
  const found = new Set(names.map(idOf)).size;
  return { found, missing: known.size - found };
}
