import { setTimeout as wait } from "node:timers/promises";
import {
  type Client,
  type PriorDiscovery,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { GuardOptions } from "@/lib/mcp/transport/guarded-fetch";
import { hideTokens } from "@/lib/mcp/transport/hide-tokens";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { CallRequests } from "./call-requests";
import { type ConnectionHost, HostSide } from "./host-side";
import { readIcon, type ServerIcon } from "./icon";
import { type Library, listLibrary, listTimeoutMs, listTools } from "./list-offers";
import { Relisting } from "./relisting";
import { ResourceWatch } from "./resource-watch";
import { definitionHash, type ServerTool } from "./server-tool";
import { readSkill } from "./skills";
import { tapTransport } from "./tap-transport";

const maxInstructions = 16_000;
const maxTitle = 200;
const terminateMs = 1_000;

/** One live connection: opened once, used by all runs, and replaced when it breaks. */
export class Connection {
  tools: ServerTool[] = [];
  /** A sentence for each tool that cannot be used. */
  faults: string[] = [];
  library: Library = { prompts: [], resources: [], templates: [], skills: [] };
  latencyMs: number | null = null;
  readonly connectedAt = Date.now();
  /** Resolves with the reason when the connection can no longer be used. */
  readonly whenClosed: Promise<unknown>;
  /** Called after an error that the connection may not survive. */
  onError: (() => void) | undefined;
  /** The stream of its notifications has ended for good: changes are not noticed any more. */
  notificationsLost = false;
  closed = false;
  readonly resources: ResourceWatch;
  private readonly ending = Promise.withResolvers<unknown>();
  readonly calls: CallRequests;
  readonly host: HostSide;
  /** How many listings of the library are under way. */
  private listings = 0;
  /** Resolves when the library is as it was listed last. */
  private libraryListed: Promise<void> = Promise.resolve();
  private knownAbout: { title: string | null; icons: unknown } | undefined;
  private knownIcon: Promise<ServerIcon | undefined> | undefined;
  readonly relisting = new Relisting(() => this.listAgain());

  /**
   * `client` is connected through `transport`; `onListed` is called when the library was listed, and when the tools were
   * listed again.
   */
  constructor(
    private readonly client: Client,
    readonly transport: Transport & { pid?: number | null },
    private readonly log: LogRing,
    private readonly onListed: () => void,
    private readonly options: ConnectionHost = {},
  ) {
    this.whenClosed = this.ending.promise;
    this.resources = new ResourceWatch(client, log);
    client.onclose = () => this.markClosed(new Error("The connection was closed."));
    client.onerror = (error) => {
      log.add("protocol", error.message);
      // The SDK stops reconnecting its notification stream without an event; without it no change arrives.
      if (error.message.includes("Maximum reconnection attempts")) this.notificationsLost = true;
      this.onError?.();
    };
    this.calls = new CallRequests(client, transport);
    tapTransport(transport, log, this.calls, () => this.tokens);
    this.host = new HostSide(options, log, this.calls.asking);
    this.host.answer(client);
    const relist = () => this.relisting.request();
    client.setNotificationHandler("notifications/tools/list_changed", relist);
    client.setNotificationHandler("notifications/prompts/list_changed", relist);
    client.setNotificationHandler("notifications/resources/list_changed", relist);
  }

  get era(): "legacy" | "modern" {
    return this.client.getProtocolEra() === "modern" ? "modern" : "legacy";
  }

  get protocolVersion(): string | null {
    return this.client.getNegotiatedProtocolVersion() ?? null;
  }

  get instructions(): string | null {
    const text = this.client.getInstructions();
    return text === undefined ? null : this.withoutTokens(text).slice(0, maxInstructions);
  }

  /** What the server calls itself, and its icons; kept, because the client forgets it when it is closed. */
  get about(): { title: string | null; icons: unknown } {
    const { title, icons } = this.client.getServerVersion() ?? {};
    this.knownAbout ??= {
      title: title === undefined ? null : showInvisible(this.withoutTokens(title).slice(0, maxTitle)),
      icons,
    };
    return this.knownAbout;
  }

  /** Masks tokens that the server was sent in texts that are not part of a message. */
  withoutTokens(text: string): string {
    return hideTokens(text, this.tokens);
  }

  private get tokens(): readonly string[] {
    const { login, secrets = [] } = this.options;
    return login ? [...login.secrets(), ...secrets] : secrets;
  }

  /** Fetched once. */
  icon(guard: Partial<GuardOptions> | undefined): Promise<ServerIcon | undefined> {
    this.knownIcon ??= readIcon(this.about.icons, guard);
    return this.knownIcon;
  }

  /** What a later connection to the same server need not find out again. */
  get discovery(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover ? { kind: "modern", discover } : { kind: "legacy" };
  }

  /** Fills `tools`; prompts and resources follow later and never fail. */
  list(signal?: AbortSignal): Promise<void> {
    return this.relisting.begin(() => this.read(signal));
  }

  private async read(signal?: AbortSignal): Promise<void> {
    const started = performance.now();
    const { tools, faults } = await listTools(this.client, this.log, signal);
    this.tools = tools;
    this.faults = faults;
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
    this.listings++;
    this.libraryListed = listLibrary(this.client, this.log).then((library) => {
      this.listings--;
      this.library = library;
      this.onListed();
    });
  }

  /** Whether the server lists this definition of the tool now. */
  offers(tool: string, definition: string): boolean {
    const listed = this.tools.find(({ name }) => name === tool);
    return listed !== undefined && definitionHash(listed) === definition;
  }

  /** A file of a listed skill, checked against its entry; undefined when the skill is not listed. */
  async readSkill(uri: string, file: string | undefined, options: RequestOptions) {
    // A server that was woken for it has not listed anything yet.
    await this.libraryListed;
    const skill = this.library.skills.find((entry) => entry.uri === uri);
    return skill && readSkill(this.client, skill, file, options);
  }

  /** Requests other than calls: without progress, questions and deadlines. */
  get requests(): Pick<Client, "getPrompt" | "readResource" | "complete"> {
    return this.client;
  }

  /** Has `work` make one of those requests, so that no call of another person is taken for what the server asks on its way. */
  alongside<Value>(
    person: string | undefined,
    signal: AbortSignal,
    work: () => Promise<Value>,
  ): Promise<Value> {
    return this.calls.asking.alongside(person, signal, work);
  }

  /** No call is in flight, and no resource is watched. */
  get idle(): boolean {
    return this.calls.isIdle && this.resources.isIdle;
  }

  /** No listing is under way or due. */
  get settled(): boolean {
    return this.listings === 0 && this.relisting.isQuiet;
  }

  /** Throws when the server does not answer. */
  async ping(): Promise<void> {
    const started = performance.now();
    if (this.era === "legacy") await this.client.ping({ timeout: listTimeoutMs });
    else await listTools(this.client, this.log);
    this.latencyMs = Math.round((performance.now() - started) * 10) / 10;
  }

  /** Marks the connection as closed, for the first reason given. */
  markClosed(reason: unknown): void {
    this.closed = true;
    this.ending.resolve(reason);
  }

  async close(): Promise<void> {
    this.relisting.stop();
    this.markClosed(new Error("Closed."));
    if (this.transport instanceof StreamableHTTPClientTransport && this.era === "legacy")
      await Promise.race([
        this.transport.terminateSession().catch(() => {}),
        wait(terminateMs, undefined, { ref: false }),
      ]);
    await this.client.close().catch(() => {});
    await this.transport.close().catch(() => {});
  }

  private async listAgain(): Promise<void> {
    await this.read().catch((cause) => this.log.add("host", `Listing the tools again failed: ${cause}`));
    this.onListed();
  }
}
