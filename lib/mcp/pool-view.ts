import type { ToolBox } from "@/lib/agent/ports";
import { Definitions } from "@/lib/mcp/definitions/definitions";
import type { Entries } from "@/lib/mcp/entries/entries";
import type { ServerFile } from "@/lib/mcp/entries/server-file";
import { ServerLibrary } from "@/lib/mcp/library/server-library";
import type { McpServerConfig, McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { McpLogLine } from "@/lib/protocol/mcp-offers";
import { callByHand } from "./call-by-hand";
import type { ChangeListener, ChangeNotifier } from "./change-notifier";
import { McpConfigError } from "./config/config-fault";
import type { ServerIcon } from "./connection/icon";
import type { Pins } from "./definitions/pins";
import { describeServer } from "./describe-server";
import { fileRootsOf } from "./file-roots";
import type { McpPool, PoolOptions, PoolTuning } from "./mcp-pool";
import { type FoundTool, type GivenTool, OfferedTools, type ToolBoxChoice } from "./offered-tools";
import { OthersChanges } from "./others-changes";
import { foldersOfServers, secretsOfServers } from "./private-texts";
import type { ManagedServer } from "./servers/managed-server";
import type { ServerRegistry } from "./servers/server-registry";
import { SignIns } from "./sign-ins";
import type { LogPiece } from "./transport/log-ring";

/** What all views of the pool have in common. */
export interface PoolCore
  extends Pick<McpPool, "start" | "lookForChanges" | "hold" | "drop" | "forgetPerson" | "clearLogs"> {
  /** Undefined where there are no people. */
  of(person: string): McpPool | undefined;
  entries: Entries;
  file: ServerFile;
  notifier: ChangeNotifier;
  tuning: PoolTuning;
  isPersonal(config: McpServerConfig): boolean;
  secretPlace(config: McpServerConfig): string | undefined;
  applyOwn(person: string): void;
  applyRole(person: string): Promise<void>;
  registryOf(person: string | undefined): ServerRegistry | undefined;
  /** The servers that people have connections of their own to. */
  ofPeople(): Iterable<readonly [person: string, servers: ServerRegistry]>;
  close(): Promise<void>;
  onServersChanged(): void;
}

/** What the views differ in. */
export interface ViewParts {
  servers: ServerRegistry;
  pins: Pins;
  /** The person is undefined for what no person asks. */
  options: PoolOptions & { dataDir: string; person?: string | undefined };
}

/** The pool as one person has it, or as nobody in particular has. */
export class PoolView implements McpPool {
  private readonly servers: ServerRegistry;
  private readonly pins: Pins;
  private readonly options: ViewParts["options"];
  private readonly person: string | undefined;
  private readonly tools: OfferedTools;
  readonly definitions: Definitions;
  readonly signIns: SignIns;
  readonly library: ServerLibrary;
  readonly others: OthersChanges;

  constructor(
    private readonly core: PoolCore,
    { servers, pins, options }: ViewParts,
  ) {
    this.servers = servers;
    this.pins = pins;
    this.options = options;
    this.person = options.person;
    this.tools = new OfferedTools(servers, pins);
    this.definitions = new Definitions(servers, pins, () => core.onServersChanged());
    this.signIns = new SignIns(servers, this.person, () =>
      this.person === undefined ? core.ofPeople() : [],
    );
    this.library = new ServerLibrary(servers, this.person);
    this.others = new OthersChanges(core);
  }

  get file(): ServerFile {
    return this.core.file;
  }

  start(): Promise<void> {
    return this.core.start();
  }

  lookForChanges(): Promise<void> {
    return this.core.lookForChanges();
  }

  of(person: string): McpPool {
    return this.core.of(person) ?? this;
  }

  applyOwn(): void {
    if (this.person !== undefined) this.core.applyOwn(this.person);
  }

  applyRole(person: string): Promise<void> {
    return this.core.applyRole(person);
  }

  async forgetOwn(name: string): Promise<void> {
    await this.servers.whenEnded(name);
    if (this.person !== undefined) await this.pins.forget(name);
  }

  hold(person: string): () => void {
    return this.core.hold(person);
  }

  drop(person: string): Promise<void> {
    return this.core.drop(person);
  }

  forgetPerson(person: string): Promise<void> {
    return this.core.forgetPerson(person);
  }

  scopeOf(config: McpServerConfig): McpServerItem["scope"] {
    return this.core.isPersonal(config) ? "user" : "shared";
  }

  secretPlace(entry: string | McpServerConfig): string | undefined {
    return this.core.secretPlace(typeof entry === "string" ? (this.servers.get(entry)?.config ?? {}) : entry);
  }

  list(): McpServerList {
    const items = this.servers.all().map((server) => this.describe(server));
    return {
      items,
      nextCursor: null,
      configPath: this.core.entries.label,
      isManaged: this.options.isManaged ?? false,
      fileError: this.core.entries.error,
    };
  }

  server(name: string): McpServerItem | undefined {
    const server = this.servers.get(name);
    return server && this.describe(server);
  }

  statusOf(name: string): McpServerItem["status"] | undefined {
    return this.servers.get(name)?.state.status;
  }

  onChange(listener: ChangeListener): () => void {
    return this.core.notifier.listen(listener);
  }

  toolBox(choice: ToolBoxChoice): ToolBox {
    return this.tools.box(choice);
  }

  givenTools(servers?: readonly string[]): GivenTool[] {
    return this.tools.given(servers);
  }

  tool(qualifiedName: string): FoundTool | undefined {
    return this.tools.find(qualifiedName);
  }

  toolWhenReady(qualifiedName: string, signal: AbortSignal): Promise<FoundTool | undefined> {
    return this.tools.findWhenReady(qualifiedName, signal);
  }

  runsInOrder(server: string): boolean {
    return this.servers.get(server)?.config.toolExecution === "sequential";
  }

  isDeferred(qualifiedName: string, chosen?: Readonly<Record<string, boolean>>): boolean {
    return this.tools.isDeferred(qualifiedName, chosen);
  }

  instructions(servers?: readonly string[]): { server: string; text: string }[] {
    return this.tools.instructions(servers);
  }

  async restart(name: string): Promise<void> {
    this.servers.require(name).restart();
  }

  async sleep(name: string): Promise<void> {
    const server = this.servers.require(name);
    server.sleepCycle.sleep("Sleeps, as was asked for; the next use starts it.");
    if (server.state.status !== "sleeping")
      throw new McpConfigError(
        "not_ready",
        `${name} cannot be made idle now: only a local server that is ready and not in use can.`,
      );
  }

  async icon(name: string): Promise<ServerIcon | undefined> {
    return this.servers.require(name).listing?.icon(this.core.tuning.guard);
  }

  secrets(): string[] {
    return secretsOfServers(this.servers.known(), this.options);
  }

  folders(): string[] {
    return foldersOfServers(this.servers.known(), this.options);
  }

  fileRoots(name: string): string[] {
    const server = this.servers.get(name);
    return server ? fileRootsOf(server, this.options) : [];
  }

  logs(name: string): McpLogLine[] {
    return this.servers.get(name)?.log.lines() ?? [];
  }

  logAfter(name: string, mark: string | undefined): LogPiece | undefined {
    return this.servers.get(name)?.log.after(mark);
  }

  clearLogs(): void {
    this.core.clearLogs();
  }

  note(name: string, text: string): void {
    this.servers.require(name).log.add("host", text);
  }

  async call(...[server, ...call]: Parameters<McpPool["call"]>): ReturnType<McpPool["call"]> {
    return callByHand(this.servers, server, this.pins, ...call);
  }

  close(): Promise<void> {
    return this.person === undefined ? this.core.close() : this.core.drop(this.person);
  }

  private describe(server: ManagedServer): McpServerItem {
    const stored = this.options.secrets?.names(server.name) ?? [];
    return {
      ...describeServer(server, this.options, this.pins, stored),
      owner: (this.servers.isOwned(server.name) && this.person) || "operator",
      hidesOwn: this.servers.hidesOwned(server.name),
    };
  }
}
