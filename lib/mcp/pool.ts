import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ToolBox } from "@/lib/agent/ports";
import type { McpServerConfig, McpServerItem, McpServerList, McpToolItem } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { changedOutcome } from "./call-tool";
import { ConfigFile } from "./config-file";
import { describeServer, describeTool } from "./describe-server";
import { addServers, editServer, removeServer } from "./edit-servers";
import type { GuardOptions } from "./guarded-fetch";
import type { ServerIcon } from "./icon";
import { approvalHash } from "./launch";
import { createLibrary } from "./library";
import { LoginNeededError } from "./oauth/types";
import { offerTools, sendTo } from "./offer-tools";
import { Pins } from "./pins";
import type { Isolation } from "./process-tree";
import { errorOutcome } from "./read-result";
import { secretsOf } from "./secrets-of";
import { ServerSet } from "./server-set";
import type { ServerSlot } from "./server-slot";
import { definitionHash } from "./server-tool";
import { createThrottle } from "./throttle";
import { createToolBox } from "./tool-box";
import { McpConfigError, type McpLibrary, type McpLogLine, type McpPool, type PoolOptions } from "./types";

/** Processes are killed after 2 s; what is still open then is an answer that nobody waits for. */
const closeMs = 4_500;

/** What only tests set. */
export interface PoolTuning {
  isolation?: Isolation;
  guard?: Pick<GuardOptions, "connect" | "lookup">;
  connectTimeoutMs?: number;
  /** The first wait before a server is started again; it doubles. */
  backoffMs?: number;
}

export function createMcpPool(options: PoolOptions, tuning: PoolTuning = {}): McpPool {
  return new Pool(options, tuning);
}

class Pool implements McpPool {
  private readonly dataDir: string;
  private readonly file: ConfigFile;
  private readonly pins: Pins;
  private readonly set: ServerSet;
  readonly library: McpLibrary;
  private approved = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private readonly notify = createThrottle(100, () => {
    for (const listener of [...this.listeners])
      try {
        listener();
      } catch (cause) {
        this.options.log("error", "A listener of the MCP pool failed.", { cause: String(cause) });
      }
  });

  constructor(
    private readonly options: PoolOptions,
    tuning: PoolTuning,
  ) {
    const { configPath, root, env, reservedEnv, privateHosts, version, log } = options;
    this.file = new ConfigFile(configPath, () => this.apply());
    this.pins = new Pins(`${configPath.replace(/\.json$/, "")}.lock.json`, (message) => log("warn", message));
    this.dataDir = options.dataDir ?? join(root, "data");
    this.set = new ServerSet({
      dataDir: this.dataDir,
      ...{ root, env, reservedEnv, privateHosts, version, logins: options.logins },
      ...{ isolation: tuning.isolation, guard: tuning.guard },
      timeoutMs: tuning.connectTimeoutMs ?? 20_000,
      backoffMs: tuning.backoffMs ?? 500,
      report: (level, message) => log(level, message),
      listed: (slot, connection) => this.pins.meet(slot.name, connection.tools),
      changed: () => this.changed(),
    });
    this.library = createLibrary(this.set);
  }

  async start(): Promise<void> {
    this.approved = await this.options.approvals.all();
    await this.pins.load();
    await this.file.start();
    if (!this.options.trustFile) return;
    for (const [name, config] of this.file.current.servers) await this.remember(name, config);
    this.apply();
  }

  list(): McpServerList {
    const items = this.set.all().map((slot) => this.describe(slot));
    return { items, nextCursor: null, configPath: this.options.configPath, fileError: this.file.error };
  }

  server(name: string): McpServerItem | undefined {
    const slot = this.set.get(name);
    return slot && this.describe(slot);
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  toolBox({ servers, ...run }: Parameters<McpPool["toolBox"]>[0]): ToolBox {
    const source = offerTools(this.set, this.pins, servers);
    const serverOf = (name: string) => this.set.offers().get(name)?.slot.name ?? "";
    return createToolBox({ ...source, ...run, serverOf });
  }

  tool(qualifiedName: string): { server: string; item: McpToolItem } | undefined {
    const offer = this.set.offers().get(qualifiedName);
    if (!offer) return undefined;
    const { slot, tool } = offer;
    return { server: slot.name, item: describeTool(slot, tool, this.pins.state(slot.name, tool)) };
  }

  async toolWhenReady(qualifiedName: string, signal: AbortSignal): ReturnType<McpPool["toolWhenReady"]> {
    await this.set.awaitOffer(qualifiedName, signal);
    return this.tool(qualifiedName);
  }

  runsInOrder(server: string): boolean {
    return this.set.get(server)?.config.toolExecution === "sequential";
  }

  instructions(servers?: readonly string[]): { server: string; text: string }[] {
    return this.set.all().flatMap(({ name, connection }) => {
      const text = connection?.instructions;
      return text && (servers?.includes(name) ?? true) ? [{ server: name, text }] : [];
    });
  }

  async acceptDefinition(qualifiedName: string, hash: string): Promise<void> {
    const offer = this.set.offers().get(qualifiedName);
    if (!offer) throw new McpConfigError("not_found", `There is no tool ${qualifiedName}.`);
    if (definitionHash(offer.tool) !== hash)
      throw new McpConfigError(
        "stale",
        `${qualifiedName} has changed since it was shown. Look at it again, then accept it.`,
      );
    await this.pins.accept(offer.slot.name, offer.tool);
    this.changed();
  }

  add(servers: Record<string, McpServerConfig>): Promise<void> {
    return this.file.edit(addServers(servers));
  }

  update(name: string, config: McpServerConfig): Promise<void> {
    return this.edit(name, () => config);
  }

  edit(name: string, change: (stored: McpServerConfig) => McpServerConfig): Promise<void> {
    return this.file.edit(editServer(name, change));
  }

  async remove(name: string): Promise<void> {
    await this.file.edit(removeServer(name));
    this.approved.delete(name);
    await this.options.approvals.delete(name);
    await this.options.logins?.memory.set(name, undefined);
    await this.set.gone(name);
    await this.pins.forget(name);
  }

  async approve(name: string, hash: string): Promise<void> {
    const slot = this.set.require(name);
    if (slot.hash !== hash)
      throw new McpConfigError(
        "stale",
        `${name} has changed since it was shown. Look at it again, then approve.`,
      );
    await this.remember(name, slot.config);
    slot.configure(slot.config, this.approved.get(name));
  }

  async restart(name: string): Promise<void> {
    this.set.require(name).restart();
  }

  async login(name: string, redirectUrl: string): Promise<URL> {
    return this.set.requireLogin(name).begin(redirectUrl);
  }

  async finishLogin(response: URLSearchParams): Promise<string> {
    const slot = await this.set.awaitedBy(response.get("state") ?? "");
    if (!slot?.login)
      throw new LoginNeededError("Nobody waits for this sign-in any more. Begin it anew in the settings.");
    // What came of it stands at the server, where the person looks.
    try {
      await slot.login.finish(response);
      slot.restart();
    } catch (cause) {
      if (!(cause instanceof LoginNeededError)) throw cause;
      slot.refuse(cause.message);
    }
    return slot.name;
  }

  async logout(name: string): Promise<void> {
    await this.set.requireLogin(name).forget();
    this.set.require(name).restart();
  }

  icon(name: string): Promise<ServerIcon | undefined> {
    return this.set.require(name).icon();
  }

  secrets(): string[] {
    const { env, reservedEnv: reserved, root } = this.options;
    const variables = { env, reserved, root, dataDir: this.dataDir };
    return [...new Set(this.set.all().flatMap(({ config }) => secretsOf(config, variables)))];
  }

  logs(name: string): McpLogLine[] {
    return this.set.get(name)?.log.lines() ?? [];
  }

  note(name: string, text: string): void {
    this.set.require(name).log.add("host", text);
  }

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    definition?: string,
  ): Promise<ToolResult & { durationMs: number }> {
    const slot = this.set.require(server);
    const started = performance.now();
    const found = slot.connection?.tools.find(({ name }) => name === tool);
    if (slot.connection && !found) throw new McpConfigError("not_found", `${server} has no tool ${tool}.`);
    const isOther = definition !== undefined && found && definitionHash(found) !== definition;
    const outcome = isOther
      ? changedOutcome()
      : found
        ? await sendTo({ slot, tool: found }, this.pins, args, byHand(signal))
        : errorOutcome(`Not run: ${server} is not connected.`);
    // Only a run can wait for a person.
    const result =
      "parked" in outcome ? errorOutcome("The tool asks for input, which only a chat can give.") : outcome;
    return { id: "by-hand" as ToolCallId, ...result, durationMs: performance.now() - started };
  }

  async close(): Promise<void> {
    this.file.stop();
    this.notify.stop();
    this.listeners.clear();
    await Promise.race([this.set.close(), wait(closeMs, undefined, { ref: false })]);
    await this.pins.saved();
  }

  private apply(): void {
    this.set.apply(this.file.current.servers, this.approved);
    this.changed();
  }

  private changed(): void {
    this.set.invalidate();
    this.notify.call();
  }

  private describe(slot: ServerSlot): McpServerItem {
    return describeServer(slot, this.options.root, (tool) => this.pins.state(slot.name, tool));
  }

  private async remember(name: string, config: McpServerConfig): Promise<void> {
    const hash = approvalHash(config, this.options.root);
    await this.options.approvals.set(name, hash);
    this.approved.set(name, hash);
  }
}

const byHand = (signal: AbortSignal) => ({
  callId: "by-hand",
  signal,
  onProgress: () => {},
  traceparent: undefined,
});
