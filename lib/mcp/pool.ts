import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ToolBox } from "@/lib/agent/ports";
import { Definitions } from "@/lib/mcp/definitions/definitions";
import { Entries } from "@/lib/mcp/entries/entries";
import { RemovedServers } from "@/lib/mcp/entries/removed-servers";
import { ServerFile } from "@/lib/mcp/entries/server-file";
import { ServerLibrary } from "@/lib/mcp/library/server-library";
import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { McpLogLine } from "@/lib/protocol/mcp-offers";
import { callByHand } from "./call-by-hand";
import { ChangeNotifier } from "./change-notifier";
import { McpConfigError } from "./config/config-fault";
import type { ServerIcon } from "./connection/icon";
import { Pins } from "./definitions/pins";
import { describeServer } from "./describe-server";
import { fileRootsOf } from "./file-roots";
import type { McpPool, PoolOptions, PoolTuning } from "./mcp-pool";
import { type FoundTool, OfferedTools, type ToolBoxChoice } from "./offered-tools";
import { foldersOfServers, secretsOfServers } from "./private-texts";
import type { ManagedServer } from "./servers/managed-server";
import { ProcessLimit } from "./servers/process-limit";
import { ServerRegistry } from "./servers/server-registry";
import { SignIns } from "./sign-ins";
import type { LogPiece } from "./transport/log-ring";

/** Child processes are killed after 2 s; a request that is still open after this is abandoned. */
const closeMs = 4_500;

const defaultTimes = {
  timeoutMs: 20_000,
  installMs: 5 * 60_000,
  installNoticeMs: 5_000,
  backoffMs: 500,
  idleMs: 15 * 60_000,
};
const defaultProcesses = 32;

export function createMcpPool(options: PoolOptions, tuning: PoolTuning = {}): McpPool {
  return new Pool({ ...options, dataDir: options.dataDir ?? join(options.root, "data") }, tuning);
}

class Pool implements McpPool {
  private readonly entries: Entries;
  private readonly pins: Pins;
  private readonly removed: RemovedServers;
  private readonly servers: ServerRegistry;
  private readonly tools: OfferedTools;
  readonly definitions: Definitions;
  readonly file: ServerFile;
  readonly signIns: SignIns;
  readonly library: ServerLibrary;
  private readonly notifier = new ChangeNotifier((cause) =>
    this.options.log("error", "A listener of the MCP pool failed.", { cause: String(cause) }),
  );

  constructor(
    private readonly options: PoolOptions & { dataDir: string },
    private readonly tuning: PoolTuning,
  ) {
    const { configPath, maxProcesses = defaultProcesses, log } = options;
    this.entries = new Entries(options, () => this.apply(), tuning.guard?.lookup);
    this.pins = new Pins(`${configPath.replace(/\.json$/, "")}.lock.json`, (message) => log("warn", message));
    this.servers = new ServerRegistry({
      ...defaultTimes,
      ...tuning,
      ...options,
      processLimit: new ProcessLimit(maxProcesses),
      privateHostsOf: (name, url, signal) => this.entries.reach.privateHosts(name, url, signal),
      report: (level, message) => log(level, message),
      acceptedTools: (name) => this.pins.acceptedTools(name),
      onListed: (server, connection) => this.pins.pinFirst(server.name, connection.tools),
      onChange: () => this.onServersChanged(),
    });
    this.tools = new OfferedTools(this.servers, this.pins);
    this.definitions = new Definitions(this.servers, this.pins, () => this.onServersChanged());
    this.removed = new RemovedServers(this.entries, (name) => this.forget(name));
    this.file = new ServerFile(this.entries, this.servers, () => this.removed.whenForgotten());
    this.signIns = new SignIns(this.servers);
    this.library = new ServerLibrary(this.servers);
  }

  async start(): Promise<void> {
    await this.pins.load();
    await this.entries.start();
    this.removed.find();
  }

  list(): McpServerList {
    const items = this.servers.all().map((server) => this.describe(server));
    return { items, nextCursor: null, configPath: this.options.configPath, fileError: this.entries.error };
  }

  server(name: string): McpServerItem | undefined {
    const server = this.servers.get(name);
    return server && this.describe(server);
  }

  onChange(listener: () => void): () => void {
    return this.notifier.listen(listener);
  }

  toolBox(choice: ToolBoxChoice): ToolBox {
    return this.tools.box(choice);
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
    return this.servers.require(name).listing?.icon(this.tuning.guard);
  }

  secrets(): string[] {
    return secretsOfServers(this.servers.all(), this.options);
  }

  folders(): string[] {
    return foldersOfServers(this.servers.all(), this.options);
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
    for (const { log } of this.servers.all()) log.clear();
  }

  note(name: string, text: string): void {
    this.servers.require(name).log.add("host", text);
  }

  async call(...[server, ...call]: Parameters<McpPool["call"]>): ReturnType<McpPool["call"]> {
    return callByHand(this.servers.require(server), this.pins, ...call);
  }

  async close(): Promise<void> {
    this.entries.stop();
    this.notifier.stop();
    await Promise.race([this.servers.close(), wait(closeMs, undefined, { ref: false })]);
    await this.pins.saved();
  }

  private apply(): void {
    const removed = this.removed.find();
    this.servers.apply(this.entries.servers, this.entries.approved);
    this.removed.forget(removed);
    this.onServersChanged();
  }

  /** Deletes all that is kept under the name of a removed server; resolves after its process has ended too. */
  private async forget(name: string): Promise<void> {
    const { logins, secrets, onRemoved, log } = this.options;
    try {
      await Promise.all([this.entries.forget(name), onRemoved?.(name), secrets?.forget(name)]);
      await this.servers.whenEnded(name);
      await logins?.memory.delete(name);
      await this.pins.forget(name);
    } catch (cause) {
      log("error", "A removed MCP server was not forgotten.", { name, cause: String(cause) });
      throw cause;
    }
  }

  private onServersChanged(): void {
    this.servers.invalidate();
    this.notifier.notify();
  }

  private describe(server: ManagedServer): McpServerItem {
    const stored = this.options.secrets?.names(server.name) ?? [];
    return describeServer(server, this.options, this.pins, stored);
  }
}
