import { sentVariables } from "@/lib/mcp/config/approval-form";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { EntryChange } from "@/lib/mcp/config/edit-servers";
import type { ServerRegistry } from "@/lib/mcp/servers/server-registry";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { FileText, McpFileChanges } from "@/lib/protocol/mcp-file";
import type { Entries } from "./entries";

/**
 * The `mcpServers` file, and what its changes mean for the servers. A change throws `McpConfigError` when it cannot be
 * made, and then nothing is changed.
 */
export class ServerFile {
  constructor(
    private readonly entries: Entries,
    private readonly servers: ServerRegistry,
    private readonly on: {
      /** Resolves when nothing is kept of servers that were removed from the file. */
      whenForgotten(): Promise<unknown>;
      /** A form was approved: what may be started is. */
      onApproved(): void;
    },
  ) {}

  /** Adds entries; "exists" for a name that is taken. Nothing new is started before it is approved. */
  async add(servers: Record<string, McpServerConfig>): Promise<void> {
    await this.entries.add(servers);
    await this.on.whenForgotten();
  }

  /** Replaces an entry; masked values, as `McpPool.list` returns them, mean "as before". */
  update(name: string, config: McpServerConfig): Promise<void> {
    return this.entries.edit(name, () => config);
  }

  /** Changes an entry as it is in the file at that moment; masked values in the result mean "as before". */
  edit(name: string, change: EntryChange): Promise<void> {
    return this.entries.edit(name, change);
  }

  async remove(name: string): Promise<void> {
    await this.entries.remove(name);
    await this.on.whenForgotten();
  }

  /**
   * Approves the form with this hash (`McpServerItem.approvalHash`), and starts it; "stale" when the form has changed
   * since, "invalid" when `sends` lacks an environment variable whose value would be sent to the server.
   */
  async approve(name: string, hash: string, sends: readonly string[] = []): Promise<void> {
    // An earlier server of this name must not leave anything to this one. First, as the entry may change meanwhile.
    await this.on.whenForgotten();
    const server = this.servers.require(name);
    if (server.hash !== hash)
      throw new McpConfigError(
        "stale",
        `${name} has changed since it was shown. Look at it again, then approve.`,
      );
    const variable = sentVariables(server.config).find((sent) => !sends.includes(sent));
    if (variable !== undefined)
      throw new McpConfigError(
        "invalid",
        `sends: ${name} would be sent the value of ${variable}. Name it in "sends" to approve that, or take it out of the entry.`,
        "sends",
      );
    await this.entries.approve(name, server.config);
    this.on.onApproved();
  }

  /** The whole file, with a reference in place of each value that may be a secret. */
  export(): Record<string, unknown> {
    return this.entries.export();
  }

  /** The text of the file, for a person to edit: references stay, secrets in plain text are masked. */
  show(): Promise<FileText> {
    return this.entries.show();
  }

  /** What replacing the file with this text would change; nothing is changed. Throws as `replace` does. */
  compare(text: string): Promise<McpFileChanges> {
    return this.entries.compare(text);
  }

  /**
   * Replaces the file with the text. "file_changed" when `version` is out of date, "invalid" with the line when the text
   * is not such a file. Servers that it removes are forgotten as `remove` does.
   */
  async replace(edited: FileText): Promise<McpFileChanges> {
    const made = await this.entries.replace(edited);
    await this.on.whenForgotten();
    return made;
  }
}
