import { sentVariables } from "@/lib/mcp/config/approval-form";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { EntryChange } from "@/lib/mcp/config/edit-servers";
import type { ServerRegistry } from "@/lib/mcp/servers/server-registry";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { FileText, McpFileChanges } from "@/lib/protocol/mcp-file";
import type { Entries } from "./entries";

/** The `mcpServers` file. What changes an entry throws `McpConfigError`, and then nothing is changed. */
export interface McpFile {
  /** Adds entries; "exists" for a name that is there. Nothing new is started before approval. */
  add(servers: Record<string, McpServerConfig>): Promise<void>;
  /** Replaces an entry; masked values (as handed out by `list`) mean "as before". */
  update(name: string, config: McpServerConfig): Promise<void>;
  /** Changes an entry as it stands in the file at that moment; masked values in what comes back mean "as before". */
  edit(name: string, change: EntryChange): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Approves the form with this hash (`McpServerItem.approvalHash`), and starts it; "stale" when it is another by now,
   * "invalid" when `sends` lacks an environment variable whose value would go to the server.
   */
  approve(name: string, hash: string, sends?: readonly string[]): Promise<void>;
  /** The whole file, with a reference in place of each value that is not plainly harmless. */
  export(): Record<string, unknown>;
  /** The file as it stands on disk, for a person to edit as a whole: references stay, what is secret in clear is masked. */
  show(): Promise<FileText>;
  /** What putting this text in the place of the file would change; nothing is changed. Throws as `replace`. */
  compare(text: string): Promise<McpFileChanges>;
  /**
   * Puts the text in the place of the file. "file_changed" when `version` is not the present one, "invalid" with the
   * line when the text is no such file. What is removed is forgotten as `remove` does.
   */
  replace(edited: FileText): Promise<McpFileChanges>;
}

/** What a person does with the file, and what follows from it for the servers. */
export class ServerFile implements McpFile {
  constructor(
    private readonly entries: Entries,
    private readonly servers: ServerRegistry,
    /** Resolves when nothing is kept any more of servers that have left the file. */
    private readonly forgotten: () => Promise<unknown>,
  ) {}

  async add(servers: Record<string, McpServerConfig>): Promise<void> {
    await this.entries.add(servers);
    await this.forgotten();
  }

  update(name: string, config: McpServerConfig): Promise<void> {
    return this.entries.edit(name, () => config);
  }

  edit(name: string, change: EntryChange): Promise<void> {
    return this.entries.edit(name, change);
  }

  async remove(name: string): Promise<void> {
    await this.entries.remove(name);
    await this.forgotten();
  }

  async approve(name: string, hash: string, sends: readonly string[] = []): Promise<void> {
    // What an earlier server of this name has left must not be this one's. First, as the entry may change meanwhile.
    await this.forgotten();
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
    server.configure(server.config, this.entries.approved.get(name));
  }

  export(): Record<string, unknown> {
    return this.entries.export();
  }

  show(): Promise<FileText> {
    return this.entries.show();
  }

  compare(text: string): Promise<McpFileChanges> {
    return this.entries.compare(text);
  }

  async replace(edited: FileText): Promise<McpFileChanges> {
    const made = await this.entries.replace(edited);
    await this.forgotten();
    return made;
  }
}
