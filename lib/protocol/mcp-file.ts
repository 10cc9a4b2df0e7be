import type { McpServerConfig } from "./mcp";

/** Of the text of one or more entries; more is no configuration. */
export const maxConfigCharacters = 1_000_000;

/** The text of the file of servers and what it stood on. */
export interface FileText {
  text: string;
  /** Of the file on disk; another one means that it has changed. */
  version: string;
}

/** `GET /api/mcp/file`. */
export interface McpFile extends FileText {
  path: string;
}

/** `PUT /api/mcp/file`: what was changed, or would be with `?preview=true`. */
export interface McpFileChanges {
  /** Of the file on disk, after a change. */
  version: string;
  changes: McpFileChange[];
  /** Whether something beside the servers differs. */
  others: boolean;
}

export interface McpFileChange {
  name: string;
  change: "added" | "changed" | "removed";
  /** What differs in the entry. */
  fields: string[];
  /** Whether a person has to approve it before it is started. */
  needsApproval: boolean;
}

/** `POST /api/mcp/servers?preview=true` and without. */
export interface McpImport {
  /** As whose configuration the text was read. */
  form: McpImportForm;
  servers: McpImportServer[];
  /** What was left out or changed, in words. */
  notes: string[];
}

export type McpImportForm =
  | "mcpServers"
  | "vscode"
  | "librechat"
  | "chat-ui"
  | "zed"
  | "opencode"
  | "crush"
  | "codex"
  | "goose"
  | "amp"
  | "augment"
  | "map"
  | "single";

export interface McpImportServer {
  name: string;
  config: McpServerConfig;
  exists: boolean;
  /** In the entry each of them is written as `${secret:NAME}`. */
  secrets: McpImportSecret[];
}

/** `found`: its value stood in the text; else a person fills it in. */
export interface McpImportSecret {
  name: string;
  /** Its place in the entry, such as `env.TOKEN`. */
  field: string;
  label: string | null;
  found: boolean;
}
