import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { ConfigFile, type FileError } from "@/lib/mcp/config/config-file";
import { addServers, type EntryChange, editServer, removeServer } from "@/lib/mcp/config/edit-servers";
import { hideSecrets } from "@/lib/mcp/config/hide-secrets";
import { approvalHash } from "@/lib/mcp/config/launch";
import type { ParsedConfig } from "@/lib/mcp/config/parse-config";
import { compareServers, othersDiffer, readEdited, showFile } from "@/lib/mcp/config/whole-file";
import type { GuardOptions } from "@/lib/mcp/transport/guarded-fetch";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { FileText, McpFileChanges } from "@/lib/protocol/mcp-file";
import { ApprovedReach } from "./approved-reach";

/** Stores the hash of the approved form of each server, with what its name resolved to (`ApprovedReach`). */
export interface ApprovalMemory {
  all(): Promise<Map<string, string>>;
  set(name: string, hash: string): Promise<void>;
  delete(name: string): Promise<void>;
}

export interface EntriesOptions {
  /** Absolute path of the `mcpServers` file. */
  configPath: string;
  /** Relative commands, arguments and `cwd` of the file are resolved against this folder: the one of the project. */
  root: string;
  approvals: ApprovalMemory;
  /** Approves the entries that are in the file at the start: true at the first start with an empty database only. */
  trustFile: boolean;
}

/** The entries of the file, and the form in which each of them is approved. */
export class Entries {
  /** Hash of the approved form, by name. */
  approved = new Map<string, string>();
  readonly reach: ApprovedReach;
  private readonly file: ConfigFile;

  constructor(
    private readonly options: EntriesOptions,
    /** The file has changed, or what is approved of it. */
    private readonly onChange: () => void,
    lookup?: GuardOptions["lookup"],
  ) {
    this.reach = new ApprovedReach(async (name) => {
      const hash = this.approved.get(name);
      if (hash !== undefined) await this.save(name, hash);
    }, lookup);
    this.file = new ConfigFile(options.configPath, onChange);
  }

  get servers(): ReadonlyMap<string, McpServerConfig> {
    return this.file.current.servers;
  }

  get error(): FileError | null {
    return this.file.error;
  }

  async start(): Promise<void> {
    for (const [name, text] of await this.options.approvals.all()) {
      const [hash = "", ...place] = text.split(" ");
      this.approved.set(name, hash);
      this.reach.read(name, place.join(" "));
    }
    await this.file.start();
    if (!this.options.trustFile) return;
    for (const [name, config] of this.servers) await this.approve(name, config);
    this.onChange();
  }

  stop(): void {
    this.file.stop();
  }

  add(servers: Record<string, McpServerConfig>): Promise<void> {
    return this.file.edit(addServers(servers));
  }

  edit(name: string, change: EntryChange): Promise<void> {
    return this.file.edit(editServer(name, change));
  }

  export(): Record<string, unknown> {
    const { document } = this.file.current;
    const entries = [...this.servers].map(([name, stored]) => [name, hideSecrets(stored, "all").config]);
    return {
      ...hideSecrets({ ...document, mcpServers: {} }, "all").config,
      mcpServers: Object.fromEntries(entries),
    };
  }

  show(): Promise<FileText> {
    return this.file.read((current) => ({ text: showFile(current), version: this.file.version }));
  }

  compare(text: string): Promise<McpFileChanges> {
    return this.file.read((current) => this.differences(current, readEdited(text, current)));
  }

  async replace({ text, version }: FileText): Promise<McpFileChanges> {
    let made: McpFileChanges | undefined;
    await this.file.rewrite((current) => {
      if (version !== this.file.version)
        throw new McpConfigError(
          "file_changed",
          "The file has changed since it was shown. Look at what saving would change in it now, then save again; nothing was changed.",
        );
      const next = readEdited(text, current);
      made = this.differences(current, next);
      return next.document;
    });
    return { changes: [], others: false, ...made, version: this.file.version };
  }

  remove(name: string): Promise<void> {
    return this.file.edit(removeServer(name));
  }

  /** Whether this form of the entry was approved. */
  isApproved(name: string, config: McpServerConfig): boolean {
    return this.approved.get(name) === approvalHash(config, this.options.root);
  }

  /** Withdraws the approval from the moment of the call on. */
  async forget(name: string): Promise<void> {
    this.approved.delete(name);
    this.reach.forget(name);
    await this.options.approvals.delete(name);
  }

  private differences(current: ParsedConfig, next: ParsedConfig): McpFileChanges {
    // An entry that is added again is a new server, whatever was approved before.
    const needsApproval = (name: string, config: McpServerConfig) => !this.isApproved(name, config);
    return {
      version: this.file.version,
      changes: compareServers(current.servers, next.servers, needsApproval),
      others: othersDiffer(current, next),
    };
  }

  async approve(name: string, config: McpServerConfig): Promise<void> {
    const hash = approvalHash(config, this.options.root);
    this.reach.forget(name);
    await this.save(name, hash);
    this.approved.set(name, hash);
  }

  /** With what its name resolved to, if that is known. */
  private save(name: string, hash: string): Promise<void> {
    return this.options.approvals.set(name, `${hash}${this.reach.text(name)}`);
  }
}
