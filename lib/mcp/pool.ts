import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ToolBox } from "@/lib/agent/ports";
import { Definitions, type McpDefinitions } from "@/lib/mcp/definitions/definitions";
import { Entries } from "@/lib/mcp/entries/entries";
import { RemovedServers } from "@/lib/mcp/entries/removed-servers";
import { type McpFile, ServerFile } from "@/lib/mcp/entries/server-file";
import { createLibrary, type McpLibrary } from "@/lib/mcp/library/library";
import type { McpServerItem, McpServerList, McpToolItem } from "@/lib/protocol/mcp";
import type { McpLogLine } from "@/lib/protocol/mcp-offers";
import { callByHand } from "./call-by-hand";
import { createToolBox } from "./calls/tool-box";
import { ChangeNotifier } from "./change-notifier";
import { McpConfigError } from "./config/config-fault";
import { foldersOf, secretsOf, secretWords } from "./config/secrets-of";
import type { ServerIcon } from "./connection/icon";
import { Pins } from "./definitions/pins";
import { describeServer, describeTool } from "./describe-server";
import type { McpPool, PoolOptions } from "./mcp-pool";
import { offerTools } from "./offer-tools";
import type { ManagedServer } from "./servers/managed-server";
import { ProcessLimit } from "./servers/process-limit";
import { ServerRegistry } from "./servers/server-registry";
import { type McpSignIns, SignIns } from "./sign-ins";
import type { GuardOptions } from "./transport/guarded-fetch";
import type { LogPiece } from "./transport/log-ring";
import { proxySecrets } from "./transport/network-variables";
import type { Isolation } from "./transport/process-tree";

/** Processes are killed after 2 s; what is still open then is an answer that nobody waits for. */
const closeMs = 4_500;
const defaultIdleMs = 15 * 60_000;
const defaultProcesses = 32;

/** What only tests set. */
export interface PoolTuning {
  isolation?: Isolation;
  guard?: Pick<GuardOptions, "connect" | "lookup">;
  connectTimeoutMs?: number;
  /** How long a package may take to be fetched, and after what time that is said. */
  installMs?: number;
  installNoticeMs?: number;
  /** The first wait before a server is started again; it doubles. */
  backoffMs?: number;
  /** After this time without use a local server goes to sleep. */
  idleMs?: number;
  /** After which a call ends however much progress there is. */
  longestCallMs?: number;
}

export function createMcpPool(options: PoolOptions, tuning: PoolTuning = {}): McpPool {
  return new Pool(options, tuning);
}

class Pool implements McpPool {
  private readonly dataDir: string;
  private readonly entries: Entries;
  private readonly pins: Pins;
  private readonly removed: RemovedServers;
  private readonly servers: ServerRegistry;
  readonly definitions: McpDefinitions;
  readonly file: McpFile;
  readonly signIns: McpSignIns;
  readonly library: McpLibrary;
  private readonly notifier = new ChangeNotifier((cause) =>
    this.options.log("error", "A listener of the MCP pool failed.", { cause: String(cause) }),
  );

  constructor(
    private readonly options: PoolOptions,
    tuning: PoolTuning,
  ) {
    const { configPath, root, env, reservedEnv, privateHosts, version, log } = options;
    this.entries = new Entries(options, () => this.apply(), tuning.guard?.lookup);
    this.pins = new Pins(`${configPath.replace(/\.json$/, "")}.lock.json`, (message) => log("warn", message));
    this.dataDir = options.dataDir ?? join(root, "data");
    this.servers = new ServerRegistry({
      dataDir: this.dataDir,
      ...{ root, env, reservedEnv, privateHosts, version, logins: options.logins },
      secrets: options.secrets,
      ...{ isolation: tuning.isolation, guard: tuning.guard },
      privatePlaces: (name, url, signal) => this.entries.places.privateHosts(name, url, signal),
      timeoutMs: tuning.connectTimeoutMs ?? 20_000,
      installMs: tuning.installMs ?? 5 * 60_000,
      installNoticeMs: tuning.installNoticeMs ?? 5_000,
      backoffMs: tuning.backoffMs ?? 500,
      idleMs: tuning.idleMs ?? defaultIdleMs,
      processLimit: new ProcessLimit(options.maxProcesses ?? defaultProcesses),
      longestCallMs: tuning.longestCallMs,
      report: (level, message) => log(level, message),
      onListed: (server, connection) => this.pins.meet(server.name, connection.tools),
      onChange: () => this.onServersChanged(),
    });
    this.definitions = new Definitions(this.servers, this.pins, () => this.onServersChanged());
    this.removed = new RemovedServers(this.entries, (name) => this.forget(name));
    this.file = new ServerFile(this.entries, this.servers, () => this.removed.whenForgotten());
    this.signIns = new SignIns(this.servers);
    this.library = createLibrary(this.servers);
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

  toolBox({ servers, ...run }: Parameters<McpPool["toolBox"]>[0]): ToolBox {
    const source = offerTools(this.servers, this.pins, servers);
    const serverOf = (name: string) => this.servers.offers().get(name)?.server.name ?? "";
    return createToolBox({ ...source, ...run, serverOf });
  }

  tool(qualifiedName: string): { server: string; item: McpToolItem } | undefined {
    const offer = this.servers.offers().get(qualifiedName);
    if (!offer) return undefined;
    const { server, tool } = offer;
    return { server: server.name, item: describeTool(server, tool, this.pins) };
  }

  async toolWhenReady(qualifiedName: string, signal: AbortSignal): ReturnType<McpPool["toolWhenReady"]> {
    await this.servers.waitForTool(qualifiedName, signal);
    return this.tool(qualifiedName);
  }

  runsInOrder(server: string): boolean {
    return this.servers.get(server)?.config.toolExecution === "sequential";
  }

  isDeferred(qualifiedName: string, chosen: Readonly<Record<string, boolean>> = {}): boolean {
    const server = this.servers.offers().get(qualifiedName)?.server;
    if (server && Object.hasOwn(chosen, server.name)) return chosen[server.name] === true;
    return server?.config.deferred === true;
  }

  instructions(servers?: readonly string[]): { server: string; text: string }[] {
    return this.servers.all().flatMap(({ name, listing }) => {
      const text = listing?.instructions;
      return text && (servers?.includes(name) ?? true) ? [{ server: name, text }] : [];
    });
  }

  async restart(name: string): Promise<void> {
    this.servers.require(name).restart();
  }

  async sleep(name: string): Promise<void> {
    const server = this.servers.require(name);
    server.sleep("Sleeps, as was asked for; the next use starts it.");
    if (server.state.status !== "sleeping")
      throw new McpConfigError(
        "not_ready",
        `${name} cannot rest now: only a local server that is ready and that nobody uses can.`,
      );
  }

  icon(name: string): Promise<ServerIcon | undefined> {
    return this.servers.require(name).icon();
  }

  secrets(): string[] {
    const { env, reservedEnv: reserved, root, secrets } = this.options;
    const variables = { env, reserved, root, dataDir: this.dataDir };
    const ofServer = ({ name, config, login }: ManagedServer) => [
      ...(login?.secrets() ?? []),
      ...secretsOf(config, { ...variables, secret: (asked) => secrets?.get(name, asked) }),
      ...secretWords(secrets?.names(name).flatMap((known) => secrets.get(name, known) ?? []) ?? []),
    ];
    return [...new Set([...this.servers.all().flatMap(ofServer), ...secretWords(proxySecrets(env))])];
  }

  folders(): string[] {
    const { env, reservedEnv: reserved, root } = this.options;
    const variables = { env, reserved, root, dataDir: this.dataDir };
    return [...new Set(this.servers.all().flatMap(({ config }) => foldersOf(config, variables)))];
  }

  logs(name: string): McpLogLine[] {
    return this.servers.get(name)?.log.lines() ?? [];
  }

  logAfter(name: string, mark: string | undefined): LogPiece | undefined {
    return this.servers.get(name)?.log.after(mark);
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
    const names = this.removed.find();
    this.servers.apply(this.entries.servers, this.entries.approved);
    this.removed.forget(names);
    this.onServersChanged();
  }

  /** Everything that is kept under the name of a server beside its entry; resolves when its process has ended too. */
  private async forget(name: string): Promise<void> {
    const { logins, secrets, removed, log } = this.options;
    try {
      await Promise.all([this.entries.forget(name), removed?.(name), secrets?.forget(name)]);
      await this.servers.whenEnded(name);
      await logins?.memory.set(name, undefined);
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
    const { dataDir, options } = this;
    return describeServer(server, { root: options.root, dataDir }, this.pins, stored);
  }
}
