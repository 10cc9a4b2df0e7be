import { join } from "node:path";
import type { ToolBox } from "@/lib/agent/ports";
import type { McpServerConfig, McpServerItem, McpServerList, McpToolItem } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { ConfigFile } from "./config-file";
import { describeServer, describeTool } from "./describe-server";
import type { GuardOptions } from "./guarded-fetch";
import { approvalHash } from "./launch";
import { restoreMasked } from "./mask-config";
import { offerTools, sendTo } from "./offer-tools";
import { assertEntry } from "./parse-config";
import { Pins } from "./pins";
import type { Isolation } from "./process-tree";
import { errorOutcome } from "./read-result";
import { ServerSet } from "./server-set";
import type { ServerSlot } from "./server-slot";
import { createThrottle } from "./throttle";
import { createToolBox } from "./tool-box";
import { McpConfigError, type McpLogLine, type McpPool, type PoolOptions } from "./types";

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
  private readonly file: ConfigFile;
  private readonly pins: Pins;
  private readonly set: ServerSet;
  private approved = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private readonly notify = createThrottle(100, () => {
    for (const listener of [...this.listeners]) listener();
  });

  constructor(
    private readonly options: PoolOptions,
    tuning: PoolTuning,
  ) {
    const { configPath, root, env, reservedEnv, privateHosts, version, log } = options;
    this.file = new ConfigFile(configPath, () => this.apply());
    this.pins = new Pins(`${configPath.replace(/\.json$/, "")}.lock.json`, (message) => log("warn", message));
    this.set = new ServerSet({
      dataDir: options.dataDir ?? join(root, "data"),
      ...{ root, env, reservedEnv, privateHosts, version },
      ...{ isolation: tuning.isolation, guard: tuning.guard },
      timeoutMs: tuning.connectTimeoutMs ?? 20_000,
      backoffMs: tuning.backoffMs ?? 500,
      listed: (slot, connection) => this.pins.meet(slot.name, connection.tools),
      changed: () => this.changed(),
    });
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

  toolBox({ servers, flights }: Parameters<McpPool["toolBox"]>[0]): ToolBox {
    return createToolBox(offerTools(this.set, this.pins, servers), flights);
  }

  tool(qualifiedName: string): { server: string; item: McpToolItem } | undefined {
    const offer = this.set.offers().get(qualifiedName);
    if (!offer) return undefined;
    const { slot, tool } = offer;
    return { server: slot.name, item: describeTool(slot, tool, this.pins.state(slot.name, tool)) };
  }

  instructions(servers?: readonly string[]): { server: string; text: string }[] {
    return this.set.all().flatMap(({ name, connection }) => {
      const text = connection?.client.getInstructions();
      return text && (servers?.includes(name) ?? true) ? [{ server: name, text }] : [];
    });
  }

  async acceptDefinition(qualifiedName: string): Promise<void> {
    const offer = this.set.offers().get(qualifiedName);
    if (!offer) throw new McpConfigError("not_found", `There is no tool ${qualifiedName}.`);
    await this.pins.accept(offer.slot.name, offer.tool);
    this.changed();
  }

  async add(servers: Record<string, McpServerConfig>): Promise<void> {
    for (const [name, config] of Object.entries(servers)) assertEntry(name, config);
    await this.file.edit((entries) => {
      for (const [name, config] of Object.entries(servers)) {
        if (Object.hasOwn(entries, name))
          throw new McpConfigError(
            "exists",
            `There is a server called ${name} already. Choose another name.`,
            name,
          );
        entries[name] = config;
      }
    });
  }

  async update(name: string, config: McpServerConfig): Promise<void> {
    await this.file.edit((entries) => {
      if (!Object.hasOwn(entries, name)) throw unknownServer(name);
      const restored = restoreMasked(config, entries[name] as McpServerConfig);
      assertEntry(name, restored);
      entries[name] = restored;
    });
  }

  async remove(name: string): Promise<void> {
    await this.file.edit((entries) => {
      if (!Object.hasOwn(entries, name)) throw unknownServer(name);
      delete entries[name];
    });
    this.approved.delete(name);
    await this.options.approvals.delete(name);
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

  logs(name: string): McpLogLine[] {
    return this.set.get(name)?.log.lines() ?? [];
  }

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ToolResult & { durationMs: number }> {
    const slot = this.set.require(server);
    const started = performance.now();
    const found = slot.connection?.tools.find(({ name }) => name === tool);
    if (slot.connection && !found) throw new McpConfigError("not_found", `${server} has no tool ${tool}.`);
    const outcome = found
      ? await sendTo({ slot, tool: found }, this.pins, args, signal, () => {})
      : errorOutcome(`Not run: ${server} is not connected.`);
    return { id: "by-hand" as ToolCallId, ...outcome, durationMs: performance.now() - started };
  }

  async close(): Promise<void> {
    this.file.stop();
    this.notify.stop();
    this.listeners.clear();
    await this.set.close();
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
    this.approved.set(name, hash);
    await this.options.approvals.set(name, hash);
  }
}

const unknownServer = (name: string) => new McpConfigError("not_found", `There is no server called ${name}.`);
