import { setTimeout as wait } from "node:timers/promises";
import {
  type Client,
  type PriorDiscovery,
  type ProgressNotification,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { LogRing } from "./log-ring";
import { readTool, type ServerTool } from "./server-tool";
import { tapTransport } from "./tap-transport";

const maxPages = 64;
const maxTools = 2_000;
const listTimeoutMs = 20_000;
const relistMs = 300;
const goodbyeMs = 1_000;
/** Calls have deadlines of their own; the SDK's only has to be later. */
const sdkTimeoutMs = 11 * 60_000;

const toolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const promptPage = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().optional() });
const resourcePage = z.looseObject({ resources: z.array(z.unknown()), nextCursor: z.string().optional() });

export type Progress = Omit<ProgressNotification["params"], "progressToken" | "_meta">;

/** One live connection: made once, used by every run, thrown away when it breaks. */
export class Connection {
  tools: ServerTool[] = [];
  prompts = 0;
  resources = 0;
  latencyMs: number | null = null;
  readonly connectedAt = Date.now();
  /** Resolves with the reason once the connection cannot be used any more. */
  readonly closed: Promise<unknown>;
  /** Called when something went wrong that may mean the end. */
  trouble: (() => void) | undefined;
  /** Messages of the server's own accord do not arrive any more. */
  deaf = false;
  private readonly lost = Promise.withResolvers<unknown>();
  private readonly listeners = new Map<string, (progress: Progress) => void>();
  private calls = 0;
  private relistTimer: NodeJS.Timeout | undefined;

  /** `client` has been connected through `transport`; `changed` is called after each listing. */
  constructor(
    readonly client: Client,
    readonly transport: Transport & { pid?: number | null },
    private readonly log: LogRing,
    private readonly changed: () => void,
  ) {
    this.closed = this.lost.promise;
    client.onclose = () => this.lost.resolve(new Error("The connection was closed."));
    client.onerror = (error) => {
      log.add("protocol", error.message);
      // The SDK's stream of server messages gives up in silence; without it no change is ever told.
      if (error.message.includes("Maximum reconnection attempts")) this.deaf = true;
      this.trouble?.();
    };
    tapTransport(transport, log, (token, progress) => this.listeners.get(token)?.(progress));
    const relist = () => this.relistSoon();
    client.setNotificationHandler("notifications/tools/list_changed", relist);
    client.setNotificationHandler("notifications/prompts/list_changed", relist);
    client.setNotificationHandler("notifications/resources/list_changed", relist);
  }

  get era(): "legacy" | "modern" {
    return this.client.getProtocolEra() === "modern" ? "modern" : "legacy";
  }

  /** What a later connection to the same server need not find out again. */
  get verdict(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover ? { kind: "modern", discover } : { kind: "legacy" };
  }

  /** Fills `tools`; the counts of prompts and resources follow later and never fail. */
  async list(signal?: AbortSignal): Promise<void> {
    const started = performance.now();
    this.tools = await this.listTools(signal);
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
    void this.countOthers();
  }

  /** Sends the call. Progress arrives even when it comes in one piece with the answer. */
  async call(
    tool: ServerTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ) {
    const token = `call-${++this.calls}`;
    this.listeners.set(token, onProgress);
    try {
      return await this.client.callTool(
        { name: tool.name, arguments: args, _meta: { progressToken: token } },
        // Without its output schema, which is checked afterwards: a broken one must not keep the tool from running.
        {
          signal,
          timeout: sdkTimeoutMs,
          toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: "object" } },
        },
      );
    } finally {
      this.listeners.delete(token);
    }
  }

  /** No call is on its way. */
  get idle(): boolean {
    return this.listeners.size === 0;
  }

  /** Asks for a sign of life; throws when there is none. */
  async ping(): Promise<void> {
    const started = performance.now();
    if (this.era === "legacy") await this.client.ping({ timeout: listTimeoutMs });
    else
      await this.client.request({ method: "tools/list", params: {} }, toolPage, { timeout: listTimeoutMs });
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
  }

  /** Gives the connection up for a reason that a call has found. */
  lose(reason: unknown): void {
    this.lost.resolve(reason);
  }

  async close(): Promise<void> {
    clearTimeout(this.relistTimer);
    this.lost.resolve(new Error("Closed."));
    if (this.transport instanceof StreamableHTTPClientTransport && this.era === "legacy")
      await Promise.race([
        this.transport.terminateSession().catch(() => {}),
        wait(goodbyeMs, undefined, { ref: false }),
      ]);
    await this.client.close().catch(() => {});
    await this.transport.close().catch(() => {});
  }

  /** Once for a whole storm of notifications, and never two at once. */
  private relistSoon(): void {
    this.relistTimer ??= setTimeout(async () => {
      await this.list().catch((cause) => this.log.add("host", `Listing the tools anew failed: ${cause}`));
      this.relistTimer = undefined;
      this.changed();
    }, relistMs).unref();
  }

  private async listTools(signal?: AbortSignal): Promise<ServerTool[]> {
    if (!this.client.getServerCapabilities()?.tools) return [];
    const found = new Map<string, ServerTool>();
    const raw = await this.pages("tools/list", toolPage, (page) => page.tools, maxTools, signal);
    for (const entry of raw) {
      const tool = readTool(entry);
      if ("fault" in tool) this.log.add("host", `A tool is left out. ${tool.fault}`);
      else if (found.has(tool.name))
        this.log.add("host", `The tool ${tool.name} is listed twice; the first counts.`);
      else found.set(tool.name, tool);
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private async countOthers(): Promise<void> {
    const can = this.client.getServerCapabilities();
    try {
      if (can?.prompts)
        this.prompts = (
          await this.pages("prompts/list", promptPage, (page) => page.prompts, maxTools)
        ).length;
      if (can?.resources)
        this.resources = (
          await this.pages("resources/list", resourcePage, (page) => page.resources, maxTools)
        ).length;
    } catch (cause) {
      this.log.add("host", `Counting prompts and resources failed: ${cause}`);
    }
    this.changed();
  }

  /** All pages up to a bound; a server that never ends, or turns in a circle, is cut off. */
  private async pages<Page extends { nextCursor?: string | undefined }>(
    method: "tools/list" | "prompts/list" | "resources/list",
    schema: z.ZodType<Page>,
    items: (page: Page) => unknown[],
    max: number,
    signal?: AbortSignal,
  ): Promise<unknown[]> {
    const all: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let count = 0; count < maxPages && all.length < max; count++) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await this.client.request({ method, params }, schema, {
        timeout: listTimeoutMs,
        ...(signal && { signal }),
      });
      all.push(...items(page));
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
      if (cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    this.log.add(
      "host",
      `${method} did not come to an end; the first ${Math.min(all.length, max)} entries count.`,
    );
    return all.slice(0, max);
  }
}
