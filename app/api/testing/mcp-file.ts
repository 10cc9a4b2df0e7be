import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { askStored } from "@/lib/server/testing/stored-rows";

/** The entries of MCP servers as they are kept: in the file, or where instances share them in a row. */
export const readMcpFile = (): Promise<string> => read("mcp-servers", process.env.MCP_CONFIG ?? "");

/** What is accepted of their tools. */
export const readMcpLock = (): Promise<string> =>
  read("mcp-servers.lock", (process.env.MCP_CONFIG ?? "").replace(/json$/, "lock.json"));

/** What this person has accepted of theirs; empty where nothing is kept. */
export const readPinsOf = (personId: string): Promise<string> =>
  read(
    `mcp-servers.lock:${personId}`,
    join(process.env.DATA_DIR ?? "", "pins", `${personId}.lock.json`),
  ).catch(() => "");

/** Puts the entries there as somebody does who is not the application. */
export async function writeMcpFile(text: string): Promise<void> {
  const { DATABASE_URL, MCP_CONFIG = "" } = process.env;
  if (!DATABASE_URL) return writeFile(MCP_CONFIG, text);
  await askStored(
    `update document set text = ${quoted(text)}, version = version + 1 where name = 'mcp-servers'`,
  );
}

async function read(name: string, path: string): Promise<string> {
  if (!process.env.DATABASE_URL) return readFile(path, "utf8");
  const [row] = await askStored(`select text from document where name = ${quoted(name)}`);
  return String(row?.text ?? "");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
