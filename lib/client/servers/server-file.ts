import { api } from "@/lib/client/http/http";
import type { FileText, McpFile, McpFileChanges } from "@/lib/protocol/mcp-file";
import { refreshServers } from "./servers";

const path = "/api/mcp/file";

/** The server file, for editing as a whole. */
export function loadFile(): Promise<McpFile> {
  return api<McpFile>(path);
}

/** What saving the text would change in the current file; changes nothing. */
export function previewFile(edited: FileText): Promise<McpFileChanges> {
  return api<McpFileChanges>(`${path}?preview=true`, { method: "PUT", body: edited });
}

/** Throws `ApiError` "file_changed" when the file has changed since it was read. */
export async function saveFile(edited: FileText): Promise<McpFileChanges> {
  try {
    return await api<McpFileChanges>(path, { method: "PUT", body: edited });
  } finally {
    await refreshServers();
  }
}
