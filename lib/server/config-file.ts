import type { z } from "zod";
import type { McpFile, McpFileChanges } from "@/lib/protocol/mcp-file";
import type { Deps } from "./deps";
import type { FileBody, FileQuery } from "./mcp-schemas";
import { forgetRequests } from "./saved-requests";
import { translateConfigError } from "./servers";

/** More than ten times what is read: what is too long is told so in the words of the file, not of the body. */
export const maxFileBody = 16_000_000;

export async function showFile({ pool }: Deps): Promise<McpFile> {
  const path = pool.list().configPath;
  return { path, ...(await translateConfigError(() => pool.file.show())) };
}

export async function putFile(
  deps: Deps,
  userId: string,
  edited: z.output<typeof FileBody>,
  { preview }: z.output<typeof FileQuery>,
): Promise<McpFileChanges> {
  const { pool } = deps;
  return translateConfigError(async () => {
    if (preview === "true") return pool.file.compare(edited.text);
    const made = await pool.file.replace(edited);
    for (const { name, change } of made.changes)
      if (change === "removed") await forgetRequests(deps, userId, name);
    return made;
  });
}
