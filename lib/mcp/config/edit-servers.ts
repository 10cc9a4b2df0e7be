import type { McpServerConfig } from "@/lib/protocol/mcp";
import { McpConfigError } from "./config-fault";
import { restoreMasked } from "./mask-config";
import { assertEntry } from "./parse-config";

/** A change of the entries of the file, by name; throws `McpConfigError` and then nothing is written. */
export type Edit = (entries: Record<string, unknown>) => void | Promise<void>;

/** Returns the new entry for the one in the file. Nothing else writes the file before it resolves. */
export type EntryChange = (stored: McpServerConfig) => McpServerConfig | Promise<McpServerConfig>;

export function addServers(servers: Record<string, McpServerConfig>): Edit {
  return (entries) => {
    for (const [name, config] of Object.entries(servers)) {
      assertEntry(name, config);
      if (Object.hasOwn(entries, name))
        throw new McpConfigError(
          "exists",
          `There is a server called ${name} already. Choose another name.`,
          name,
        );
      entries[name] = config;
    }
  };
}

/** Masked values in what `change` returns mean "as before". */
export function editServer(name: string, change: EntryChange): Edit {
  return async (entries) => {
    assertKnown(entries, name);
    const stored = entries[name] as McpServerConfig;
    const restored = restoreMasked(await change(structuredClone(stored)), stored);
    assertEntry(name, restored);
    entries[name] = restored;
  };
}

export function removeServer(name: string): Edit {
  return (entries) => {
    assertKnown(entries, name);
    delete entries[name];
  };
}

function assertKnown(entries: Record<string, unknown>, name: string): void {
  if (!Object.hasOwn(entries, name))
    throw new McpConfigError("not_found", `There is no server called ${name}.`);
}
