import { type ApprovalRule, approvalRule } from "@/lib/mcp/config/approval-rule";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { ConfigFile, type FileError } from "@/lib/mcp/config/config-file";
import { addServers, type EntryChange, editServer, removeServer } from "@/lib/mcp/config/edit-servers";
import { FileDocument } from "@/lib/mcp/config/file-document";
import { hideSecrets } from "@/lib/mcp/config/hide-secrets";
import type { ParsedConfig } from "@/lib/mcp/config/parse-config";
import type { TextDocument } from "@/lib/mcp/config/text-document";
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
  /** The file is deployed with this application, and is not changed here. */
  isManaged?: boolean;
}

export interface EntriesParts {
  /** Without it the file of `configPath`. */
  document?: TextDocument | undefined;
  rule?: ApprovalRule;
  lookup?: GuardOptions["lookup"];
}

/** The entries of the file, and the form in which each of them is approved. */
export class Entries {
  /** Hash of the approved form, by name. */
  approved = new Map<string, string>();
  readonly reach: ApprovedReach;
  private readonly file: ConfigFile;
  private readonly rule: ApprovalRule;
  /** How many changes of approvals there were, and how many are under way: what is read meanwhile may be older. */
  private changes = 0;
  private underWay = 0;

  constructor(
    private readonly options: EntriesOptions,
    /** The file has changed, or what is approved of it; `isOurs` as of `ConfigFile`. */
    private readonly onChange: (isOurs: boolean) => void,
    { document, rule, lookup }: EntriesParts = {},
  ) {
    this.reach = new ApprovedReach(async (name) => {
      const hash = this.approved.get(name);
      if (hash !== undefined) await this.save(name, hash);
    }, lookup);
    this.rule = rule ?? approvalRule(options.root);
    this.file = new ConfigFile(document ?? new FileDocument(options.configPath), onChange);
  }

  /** Where the entries are kept, for people. */
  get label(): string {
    return this.file.label;
  }

  get servers(): ReadonlyMap<string, McpServerConfig> {
    return this.file.current.servers;
  }

  get error(): FileError | null {
    return this.file.error;
  }

  async start(): Promise<void> {
    this.takeApprovals(await this.options.approvals.all());
    await this.file.start();
    // What somebody has changed already was approved by whoever has started first.
    if (!this.options.trustFile || !this.file.isSeed) return;
    for (const [name, config] of this.servers) await this.approve(name, config);
    this.onChange(true);
  }

  /** Takes up what other instances have approved. */
  async readApprovals(): Promise<void> {
    const { changes } = this;
    const all = await this.options.approvals.all();
    if (this.underWay > 0 || changes !== this.changes) return;
    if (this.takeApprovals(all)) this.onChange(false);
  }

  stop(): void {
    this.file.stop();
  }

  async add(servers: Record<string, McpServerConfig>): Promise<void> {
    this.assertOurs();
    await this.file.edit(addServers(servers));
  }

  async edit(name: string, change: EntryChange): Promise<void> {
    this.assertOurs();
    await this.file.edit(editServer(name, change));
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
    this.assertOurs();
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

  async remove(name: string): Promise<void> {
    this.assertOurs();
    await this.file.edit(removeServer(name));
  }

  /** Whether this form of the entry was approved. */
  isApproved(name: string, config: McpServerConfig): boolean {
    return this.rule.isApproved(config, this.approved.get(name));
  }

  /** Withdraws the approval from the moment of the call on. */
  async forget(name: string): Promise<void> {
    this.approved.delete(name);
    this.reach.forget(name);
    await this.change(() => this.options.approvals.delete(name));
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
    const hash = this.rule.hashOf(config);
    this.reach.forget(name);
    await this.save(name, hash);
    this.approved.set(name, hash);
  }

  /** With what its name resolved to, if that is known. */
  private save(name: string, hash: string): Promise<void> {
    return this.change(() => this.options.approvals.set(name, `${hash}${this.reach.text(name)}`));
  }

  private async change(write: () => Promise<void>): Promise<void> {
    this.changes++;
    this.underWay++;
    try {
      await write();
    } finally {
      this.changes++;
      this.underWay--;
    }
  }

  /** Whether anything differs from what is known. */
  private takeApprovals(all: ReadonlyMap<string, string>): boolean {
    const textOf = (name: string) => `${this.approved.get(name)}${this.reach.text(name)}`;
    const gone = [...this.approved.keys()].filter((name) => !all.has(name));
    const other = [...all].filter(([name, text]) => textOf(name) !== text);
    for (const name of [...gone, ...other.map(([known]) => known)]) this.reach.forget(name);
    for (const name of gone) this.approved.delete(name);
    for (const [name, text] of other) {
      const [hash = "", ...place] = text.split(" ");
      this.approved.set(name, hash);
      this.reach.read(name, place.join(" "));
    }
    return gone.length > 0 || other.length > 0;
  }

  private assertOurs(): void {
    if (this.options.isManaged)
      throw new McpConfigError(
        "file_managed",
        `The servers are set up in ${this.label}, which is deployed with Meguri (MCP_CONFIG_MODE=file): change them there. Nothing was changed.`,
      );
  }
}
