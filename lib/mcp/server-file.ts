import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { FileText, McpFileChanges } from "@/lib/protocol/mcp-file";
import { sentVariables } from "./config/approval-form";
import type { EntryChange } from "./config/edit-servers";
import type { Entries } from "./entries";
import type { McpFile } from "./pool-parts";
import type { ServerSet } from "./servers/server-registry";
import { McpConfigError } from "./types";

/** What a person does with the file, and what follows from it for the servers. */
export class ServerFile implements McpFile {
  constructor(
    private readonly entries: Entries,
    private readonly set: ServerSet,
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
    const slot = this.set.require(name);
    if (slot.hash !== hash)
      throw new McpConfigError(
        "stale",
        `${name} has changed since it was shown. Look at it again, then approve.`,
      );
    const variable = sentVariables(slot.config).find((sent) => !sends.includes(sent));
    if (variable !== undefined)
      throw new McpConfigError(
        "invalid",
        `sends: ${name} would be sent the value of ${variable}. Name it in "sends" to approve that, or take it out of the entry.`,
        "sends",
      );
    await this.entries.approve(name, slot.config);
    slot.configure(slot.config, this.entries.approved.get(name));
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
