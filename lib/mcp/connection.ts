import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type CallToolResult,
  type Client,
  type ElicitRequest,
  type ElicitResult,
  type InputRequiredResult,
  type ListRootsResult,
  type PriorDiscovery,
  type ProgressNotification,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Resume } from "./elicitation";
import { type Library, listLibrary, listTimeoutMs, listTools } from "./list-offers";
import type { LogRing } from "./log-ring";
import type { ServerLogin } from "./oauth/server-login";
import { definitionHash, type ServerTool } from "./server-tool";
import { tapTransport } from "./tap-transport";

const maxInstructions = 16_000;
const relistMs = 300;
const goodbyeMs = 1_000;
/** Calls have deadlines of their own, which stand still while a person is asked; the SDK's only has to be later. */
const sdkTimeoutMs = 25 * 60 * 60_000;

/** Who looks after a call on its way. */
export interface CallListener {
  onProgress(progress: Progress): void;
  onInput(params: ElicitRequest["params"]): Promise<ElicitResult>;
}

export type Progress = Omit<ProgressNotification["params"], "progressToken" | "_meta">;

/** One live connection: made once, used by every run, thrown away when it breaks. */
export class Connection {
  tools: ServerTool[] = [];
  library: Library = { prompts: [], resources: [], templates: [] };
  latencyMs: number | null = null;
  readonly connectedAt = Date.now();
  /** Resolves with the reason once the connection cannot be used any more. */
  readonly closed: Promise<unknown>;
  /** Called when something went wrong that may mean the end. */
  trouble: (() => void) | undefined;
  /** Messages of the server's own accord do not arrive any more. */
  deaf = false;
  /** It cannot be used any more. */
  over = false;
  private readonly lost = Promise.withResolvers<unknown>();
  /** Calls on their way, the oldest first, by progress token. */
  private readonly listeners = new Map<string, CallListener>();
  /** Ends the calls whose answers have been broken off, by progress token; on stdio nothing breaks off but the server. */
  private readonly cutters = new Map<string, AbortController>();
  private calls = 0;
  private relistTimer: NodeJS.Timeout | undefined;
  private relistWanted = false;

  /** `client` has been connected through `transport`; `changed` is called after each listing. */
  constructor(
    private readonly client: Client,
    readonly transport: Transport & { pid?: number | null },
    private readonly log: LogRing,
    private readonly changed: () => void,
    private readonly host: { login?: ServerLogin | undefined; roots?: readonly string[] } = {},
  ) {
    this.closed = this.lost.promise;
    client.onclose = () => this.lose(new Error("The connection was closed."));
    client.onerror = (error) => {
      log.add("protocol", error.message);
      // The SDK's stream of server messages gives up in silence; without it no change is ever told.
      if (error.message.includes("Maximum reconnection attempts")) this.deaf = true;
      this.trouble?.();
    };
    tapTransport(
      transport,
      log,
      (token, progress) => this.listeners.get(token)?.onProgress(progress),
      (token) => this.cutters.get(token)?.abort("its answer was broken off"),
    );
    if (host.roots?.length) client.setRequestHandler("roots/list", () => this.roots());
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      // The older wire does not say which call it is about: of several it is most likely the newest.
      const listener = [...this.listeners.values()].at(-1);
      if (listener) return listener.onInput(params);
      log.add("host", "It asked for input outside of any call, which is declined.");
      return { action: "decline" };
    });
    const relist = () => this.relistSoon();
    client.setNotificationHandler("notifications/tools/list_changed", relist);
    client.setNotificationHandler("notifications/prompts/list_changed", relist);
    client.setNotificationHandler("notifications/resources/list_changed", relist);
  }

  /** The folders that the server is told of. */
  roots(): ListRootsResult {
    const { roots = [] } = this.host;
    return { roots: roots.map((path) => ({ uri: String(pathToFileURL(path)), name: basename(path) })) };
  }

  get login(): ServerLogin | undefined {
    return this.host.login;
  }

  get era(): "legacy" | "modern" {
    return this.client.getProtocolEra() === "modern" ? "modern" : "legacy";
  }

  get protocolVersion(): string | null {
    return this.client.getNegotiatedProtocolVersion() ?? null;
  }

  get instructions(): string | null {
    return this.client.getInstructions()?.slice(0, maxInstructions) ?? null;
  }

  /** What a later connection to the same server need not find out again. */
  get verdict(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover ? { kind: "modern", discover } : { kind: "legacy" };
  }

  /** Fills `tools`; prompts and resources follow later and never fail. */
  async list(signal?: AbortSignal): Promise<void> {
    const started = performance.now();
    this.tools = await listTools(this.client, this.log, signal);
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
    void listLibrary(this.client, this.log).then((library) => {
      this.library = library;
      this.changed();
    });
  }

  /** Whether the server lists this definition of the tool now. */
  offers(tool: string, definition: string): boolean {
    const listed = this.tools.find(({ name }) => name === tool);
    return listed !== undefined && definitionHash(listed) === definition;
  }

  /** Sends the call. Progress arrives even when it comes in one piece with the answer. */
  async call(
    tool: ServerTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    listener: CallListener,
    { traceparent, resume }: { traceparent?: string | undefined; resume?: Resume | undefined } = {},
  ): Promise<CallToolResult | InputRequiredResult> {
    const token = `call-${++this.calls}`;
    this.listeners.set(token, listener);
    const cutter =
      this.transport instanceof StreamableHTTPClientTransport ? new AbortController() : undefined;
    if (cutter) this.cutters.set(token, cutter);
    try {
      return await this.client.callTool(
        {
          name: tool.name,
          arguments: args,
          ...resume,
          _meta: { progressToken: token, ...(traceparent && { traceparent }) },
        },
        // Without its output schema, which is checked afterwards: a broken one must not keep the tool from running.
        {
          signal: cutter ? AbortSignal.any([signal, cutter.signal]) : signal,
          timeout: sdkTimeoutMs,
          allowInputRequired: true,
          toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: "object" } },
        },
      );
    } finally {
      this.listeners.delete(token);
      this.cutters.delete(token);
    }
  }

  /** The client itself, for what needs nobody to look after it. */
  get plain(): Pick<Client, "getPrompt" | "readResource" | "complete"> {
    return this.client;
  }

  /** No call is on its way. */
  get idle(): boolean {
    return this.listeners.size === 0;
  }

  /** Asks for a sign of life; throws when there is none. */
  async ping(): Promise<void> {
    const started = performance.now();
    if (this.era === "legacy") await this.client.ping({ timeout: listTimeoutMs });
    else await listTools(this.client, this.log);
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
  }

  /** Gives the connection up for a reason that a call has found. */
  lose(reason: unknown): void {
    this.over = true;
    this.lost.resolve(reason);
  }

  async close(): Promise<void> {
    clearTimeout(this.relistTimer);
    this.lose(new Error("Closed."));
    if (this.transport instanceof StreamableHTTPClientTransport && this.era === "legacy")
      await Promise.race([
        this.transport.terminateSession().catch(() => {}),
        wait(goodbyeMs, undefined, { ref: false }),
      ]);
    await this.client.close().catch(() => {});
    await this.transport.close().catch(() => {});
  }

  /** Once for a whole storm of notifications, never two at once, and once more for what came in between. */
  private relistSoon(): void {
    this.relistTimer ??= setTimeout(async () => {
      this.relistWanted = false;
      await this.list().catch((cause) => this.log.add("host", `Listing the tools anew failed: ${cause}`));
      this.relistTimer = undefined;
      this.changed();
      if (this.relistWanted && !this.over) this.relistSoon();
    }, relistMs).unref();
    this.relistWanted = true;
  }
}
