import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  type ListRootsResult,
  type PriorDiscovery,
  type ProgressNotification,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  StreamableHTTPClientTransport,
  specTypeSchemas,
  type Transport,
  withInputRequired,
} from "@modelcontextprotocol/client";
import type { OnMessage } from "./exchanges";
import type { GuardOptions } from "./guarded-fetch";
import { readIcon, type ServerIcon } from "./icon";
import type { Said } from "./inputs";
import { type Library, listLibrary, listTimeoutMs, listTools } from "./list-offers";
import type { LogRing } from "./log-ring";
import type { ServerLogin } from "./oauth/server-login";
import { type Resume, UnansweredError } from "./parked";
import { type ServerRequest, toResult } from "./questions";
import { Relisting } from "./relisting";
import { ResourceWatch } from "./resource-watch";
import { RateLimit, toMessage } from "./sampling";
import { definitionHash, type ServerTool } from "./server-tool";
import { readSkill } from "./skills";
import { tapTransport, taskKey } from "./tap-transport";
import { createTask, type Following, followTask, takesTasks } from "./tasks";

const maxInstructions = 16_000;
const maxTitle = 200;
const goodbyeMs = 1_000;
/** Of one server; each one is asked about besides. */
const samplingsPerMinute = 10;
/** Calls have deadlines of their own, which stand still while a person is asked; the SDK's only has to be later. */
const sdkTimeoutMs = 25 * 60 * 60_000;

const callResult = withInputRequired(specTypeSchemas.CallToolResult);

/** Who looks after a call on its way. */
export interface CallListener {
  onProgress(progress: Progress): void;
  onMessage?: OnMessage;
  /** What the server wants of a person, or of the model. */
  onRequest(request: ServerRequest): Promise<Said>;
}

/** What is known of a call after it was sent. */
export type CallAnswer = CallToolResult | InputRequiredResult | { taskId: string };

export interface ConnectionHost {
  login?: ServerLogin | undefined;
  roots?: readonly string[];
  /** The server may ask for the model. */
  sampling?: boolean;
}

export type Progress = Omit<ProgressNotification["params"], "progressToken" | "_meta">;

/** One live connection: made once, used by every run, thrown away when it breaks. */
export class Connection {
  tools: ServerTool[] = [];
  library: Library = { prompts: [], resources: [], templates: [], skills: [] };
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
  readonly resources: ResourceWatch;
  private readonly lost = Promise.withResolvers<unknown>();
  /** Calls on their way, the oldest first, by progress token. */
  private readonly listeners = new Map<string, CallListener>();
  private readonly samplings = new RateLimit(samplingsPerMinute);
  /** Ends the calls whose answers have been broken off, by progress token; on stdio nothing breaks off but the server. */
  private readonly cutters = new Map<string, AbortController>();
  private calls = 0;
  /** How many listings of the library are under way. */
  private listings = 0;
  private picture: Promise<ServerIcon | undefined> | undefined;
  readonly relisting = new Relisting(() => this.listAgain());

  /** `client` has been connected through `transport`; `changed` is called after each listing. */
  constructor(
    private readonly client: Client,
    readonly transport: Transport & { pid?: number | null },
    private readonly log: LogRing,
    private readonly changed: () => void,
    private readonly host: ConnectionHost = {},
  ) {
    this.closed = this.lost.promise;
    this.resources = new ResourceWatch(client, log);
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
      (token) => this.listeners.get(token),
      (token) => this.cutters.get(token)?.abort("its answer was broken off"),
    );
    if (host.roots?.length) client.setRequestHandler("roots/list", () => this.roots());
    client.setRequestHandler("elicitation/create", async (request) => toResult(await this.asked(request)));
    if (host.sampling)
      client.setRequestHandler("sampling/createMessage", async (request) =>
        toMessage(await this.asked(request)),
      );
    const relist = () => this.relisting.soon();
    client.setNotificationHandler("notifications/tools/list_changed", relist);
    client.setNotificationHandler("notifications/prompts/list_changed", relist);
    client.setNotificationHandler("notifications/resources/list_changed", relist);
  }

  /** The folders that the server is told of. */
  roots(): ListRootsResult {
    const { roots = [] } = this.host;
    return { roots: roots.map((path) => ({ uri: String(pathToFileURL(path)), name: basename(path) })) };
  }

  /** Throws `UnansweredError` for what the server must not ask for, or not so often. */
  admit({ method }: ServerRequest): void {
    if (method !== "sampling/createMessage") return;
    if (!this.host.sampling)
      throw new UnansweredError("The server asks for the model, which its entry does not allow (sampling).");
    if (!this.samplings.take())
      throw new UnansweredError(
        `The server asks for the model more than ${samplingsPerMinute} times a minute; try again later.`,
      );
  }

  /** The older wire: a question of the server that does not say which call it is about. Of several it is most likely the newest. */
  private async asked(request: ServerRequest): Promise<Said> {
    try {
      this.admit(request);
    } catch (cause) {
      this.log.add("host", (cause as Error).message);
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, (cause as Error).message);
    }
    const listener = [...this.listeners.values()].at(-1);
    if (listener) return listener.onRequest(request);
    this.log.add("host", `It sent ${request.method} outside of any call, which is declined.`);
    return { action: "decline" };
  }

  /** Asks for more rights; whether there are some now. */
  async stepUp(scope: string | undefined): Promise<boolean> {
    try {
      return (await this.host.login?.stepUp(scope)) ?? false;
    } catch (cause) {
      this.log.add("host", `More rights could not be asked for: ${cause}`);
      return false;
    }
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

  /** What the server calls itself, for people, and its pictures. */
  get about(): { title: string | null; icons: unknown } {
    const { title, icons } = this.client.getServerVersion() ?? {};
    return { title: title?.slice(0, maxTitle) ?? null, icons };
  }

  /** Fetched once. */
  icon(guard: Partial<GuardOptions> | undefined): Promise<ServerIcon | undefined> {
    this.picture ??= readIcon(this.about.icons, guard);
    return this.picture;
  }

  /** What a later connection to the same server need not find out again. */
  get verdict(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover ? { kind: "modern", discover } : { kind: "legacy" };
  }

  /** Fills `tools`; prompts and resources follow later and never fail. */
  list(signal?: AbortSignal): Promise<void> {
    return this.relisting.begin(() => this.read(signal));
  }

  private async read(signal?: AbortSignal): Promise<void> {
    const started = performance.now();
    this.tools = await listTools(this.client, this.log, signal);
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
    this.listings++;
    void listLibrary(this.client, this.log).then((library) => {
      this.listings--;
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
  call(
    tool: ServerTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    listener: CallListener,
    { traceparent, resume }: { traceparent?: string | undefined; resume?: Resume | undefined } = {},
  ): Promise<CallAnswer> {
    return this.listening(listener, signal, async (progressToken, limit) => {
      const _meta = { progressToken, ...(traceparent && { traceparent }) };
      const options = { signal: limit, timeout: sdkTimeoutMs };
      const params = { name: tool.name, arguments: args, _meta };
      if (tool.needsTask && takesTasks(this.client))
        return { taskId: await createTask(this.client, params, options) };
      const answer = await this.request(tool, { ...params, ...resume }, options);
      const taskId = answer._meta?.[taskKey];
      return typeof taskId === "string" ? { taskId } : answer;
    });
  }

  /** On the newer wire over HTTP arguments go into headers too, which `callTool` sees to; without need of it half of the time goes into its preparations. */
  private request(
    tool: ServerTool,
    params: Parameters<Client["callTool"]>[0],
    options: RequestOptions,
  ): Promise<CallToolResult | InputRequiredResult> {
    const all = { ...options, allowInputRequired: true as const };
    if (this.era === "legacy" || !(this.transport instanceof StreamableHTTPClientTransport))
      return this.client.request({ method: "tools/call", params }, callResult, all);
    // Without its output schema, which is checked afterwards: a broken one must not keep the tool from running.
    const toolDefinition = { name: tool.name, inputSchema: { ...tool.inputSchema, type: "object" as const } };
    return this.client.callTool(params, { ...all, toolDefinition });
  }

  /** Looks after a call that has become a task, to its end or to its next question. */
  follow(
    task: Resume,
    signal: AbortSignal,
    listener: CallListener,
    onStatus: Following["onStatus"],
  ): ReturnType<typeof followTask> {
    return this.listening(listener, signal, (_, limit) =>
      followTask(this.client, task, {
        signal,
        onStatus,
        options: { signal: limit, timeout: sdkTimeoutMs },
      }),
    );
  }

  private async listening<Value>(
    listener: CallListener,
    signal: AbortSignal,
    work: (token: string, signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const token = `call-${++this.calls}`;
    this.listeners.set(token, listener);
    const cutter =
      this.transport instanceof StreamableHTTPClientTransport ? new AbortController() : undefined;
    if (cutter) this.cutters.set(token, cutter);
    try {
      return await work(token, cutter ? AbortSignal.any([signal, cutter.signal]) : signal);
    } finally {
      this.listeners.delete(token);
      this.cutters.delete(token);
    }
  }

  /** A file of a listed skill, as its entry says it is; undefined when no such skill is listed. */
  async readSkill(uri: string, file: string | undefined, options: RequestOptions) {
    const skill = this.library.skills.find((entry) => entry.uri === uri);
    return skill && readSkill(this.client, skill, file, options);
  }

  /** The client itself, for what needs nobody to look after it. */
  get plain(): Pick<Client, "getPrompt" | "readResource" | "complete"> {
    return this.client;
  }

  /** No call is on its way, and nobody watches a resource. */
  get idle(): boolean {
    return this.listeners.size === 0 && this.resources.isIdle;
  }

  /** What the server offers is known in full. */
  get settled(): boolean {
    return this.listings === 0 && this.relisting.isQuiet;
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
    this.relisting.stop();
    this.lose(new Error("Closed."));
    if (this.transport instanceof StreamableHTTPClientTransport && this.era === "legacy")
      await Promise.race([
        this.transport.terminateSession().catch(() => {}),
        wait(goodbyeMs, undefined, { ref: false }),
      ]);
    await this.client.close().catch(() => {});
    await this.transport.close().catch(() => {});
  }

  private async listAgain(): Promise<void> {
    await this.read().catch((cause) => this.log.add("host", `Listing the tools anew failed: ${cause}`));
    this.changed();
  }
}
