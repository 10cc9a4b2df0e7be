import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { getDeps } from "@/lib/server/entry/deps";
import { ask } from "@/lib/store/testing/postgres-server";

/** The bytes of attached files by name, as they lie on the disk or in PostgreSQL. */
export async function storedFiles(): Promise<Record<string, Buffer>> {
  const { DATA_DIR, DATABASE_URL } = (await getDeps()).env;
  if (DATABASE_URL !== undefined) {
    const files = await ask(
      DATABASE_URL,
      "select name, string_agg(bytes, '' order by part) as bytes from attachment_blob group by name order by name",
    );
    return Object.fromEntries(files.map(({ name, bytes }) => [name, bytes]));
  }
  const dir = join(DATA_DIR, "attachments");
  const names = await readdir(dir).catch(() => []);
  return Object.fromEntries(
    await Promise.all(names.toSorted().map(async (name) => [name, await readFile(join(dir, name))])),
  );
}

export const storedNames = async (): Promise<string[]> => Object.keys(await storedFiles());

/** Files of the data folder that hold these words, tables of PostgreSQL in which they stand, and the names of files there. */
export async function storedWith(words: string): Promise<string[]> {
  const { DATA_DIR, DATABASE_URL } = (await getDeps()).env;
  const entries = await readdir(DATA_DIR, { recursive: true, withFileTypes: true });
  const inFolder = entries
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(words))
    .map(({ name }) => name);
  return DATABASE_URL === undefined ? inFolder : [...inFolder, ...(await inDatabase(DATABASE_URL, words))];
}

async function inDatabase(url: string, words: string): Promise<string[]> {
  const tables = await ask(
    url,
    "select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
  );
  const holds = tables.map(
    ({ name }) =>
      `select '${name}' as name where exists (select 1 from "${name}" t where position('${words.replaceAll("'", "''")}' in t::text) > 0)`,
  );
  const found = (await ask(url, holds.join(" union all "))).map(({ name }) => String(name));
  const files = Object.entries(await storedFiles());
  return [...found, ...files.flatMap(([name, bytes]) => (bytes.includes(words) ? name : []))];
}
