import type { z } from "zod";
import type { McpFile, McpFileChanges } from "@/lib/protocol/mcp-file";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { FileBody, FileQuery } from "@/lib/server/contract/servers";
import { translateConfigError } from "./config-errors";

/** More than ten times what is read: what is too long is told so in the words of the file, not of the body. */
export const maxFileBody = 16_000_000;

export async function showFile({ pool }: Pick<BaseDeps, "pool">): Promise<McpFile> {
  const path = pool.list().configPath;
  return { path, ...(await translateConfigError(() => pool.file.show())) };
}

export async function putFile(
  { pool }: Pick<BaseDeps, "pool">,
  edited: z.output<typeof FileBody>,
  { preview }: z.output<typeof FileQuery>,
): Promise<McpFileChanges> {
  return translateConfigError(async () => {
    if (preview === "true") return pool.file.compare(edited.text);
    return pool.file.replace(edited);
  });
}
