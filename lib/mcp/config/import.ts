import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { McpImportForm } from "@/lib/protocol/mcp-file";
import { McpConfigError } from "./config-fault";
import { respell } from "./foreign-entries";
import { type FoundSecret, type Hiding, hideSecrets } from "./hide-secrets";
import { assertEntry } from "./parse-config";
import { findEntries } from "./pasted-forms";
import { readPasted } from "./read-pasted";
import { tidyEntry } from "./tidy-entry";

export interface Understood {
  form: McpImportForm;
  servers: UnderstoodServer[];
  /** What was left out or changed, as sentences. */
  notes: string[];
}

export interface UnderstoodServer {
  name: string;
  config: McpServerConfig;
  /** The secrets that the entry refers to as `${secret:NAME}`; those without a value have to be filled in. */
  secrets: FoundSecret[];
}

/**
 * Reads what people paste: the file of Claude Desktop and Cursor, VS Code's `servers` and `inputs`, LibreChat's YAML,
 * chat-ui's array, the settings of Zed, OpenCode, Crush, Codex, Goose, Amp and Augment, a bare map of servers, or a
 * single server. `hiding` says which secrets in plain text become references. Starts and stores nothing; throws
 * `McpConfigError` "invalid" with the line when there is no server in it.
 */
export function importServers(text: string, hiding: Hiding = "none"): Understood {
  const { form, entries, inputs, notes } = findEntries(readPasted(text));
  const servers: UnderstoodServer[] = [];
  for (const [name, entry] of entries) {
    try {
      const tidied = tidyEntry(name, respell(form, entry), inputs);
      assertEntry(name, tidied.config);
      notes.push(...tidied.notes.map((note) => `${name}: ${note}`));
      servers.push({ name, ...hideSecrets(tidied.config, hiding, tidied.labels) });
    } catch (fault) {
      notes.push(`Left out: ${(fault as Error).message}`);
    }
  }
  if (servers.length === 0)
    throw new McpConfigError(
      "invalid",
      notes.at(-1) ??
        'There is no server in it. Paste an object like {"mcpServers": {"name": {"command": "…"}}}.',
    );
  return { form, servers, notes };
}
