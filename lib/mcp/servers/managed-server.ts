import type { PriorDiscovery } from "@modelcontextprotocol/client";
import { approvalHash } from "@/lib/mcp/config/launch";
import type { Connection } from "@/lib/mcp/connection/connection";
import type { ServerIcon } from "@/lib/mcp/connection/icon";
import { keepListing, type Listing } from "@/lib/mcp/connection/listing";
import type { Fault } from "@/lib/mcp/faults/explain-fault";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import { LogRing } from "@/lib/mcp/transport/log-ring";
import type { McpServerConfig, McpServerStatus } from "@/lib/protocol/mcp";
import { keepConnected, type Runner, type RunSetup } from "./keep-connected";
import { Uses } from "./usage-tracker";
import { Waiters } from "./waiters";

/** How long a call waits for a server that is coming back. */
const patienceMs = 5_000;
/** What the end of a process may take, besides the start of one. */
const endMs = 2_500;

export interface SlotSetup extends RunSetup {
  /** After this time without use a local server goes to sleep. */
  idleMs: number;
  longestCallMs?: number | undefined;
  report(level: "info" | "warn", message: string): void;
  /** A connection has listed its tools, for the first time or again. */
  listed(slot: ServerSlot, connection: Connection): void;
  changed(): void;
}

/** What a server last said, and how long a use waits for it: a start that it asks for itself may take its time. */
interface Kept {
  listing: Listing;
  patienceMs: number;
}

/** One entry of the file: keeps its server connected or asleep, or says why it is neither. */
export class ServerSlot implements Runner {
  status: McpServerStatus = "disabled";
  since = new Date().toISOString();
  lastError: Fault | null = null;
  /** How its process last ended by itself after it had been ready; forgotten when it is started by hand. */
  lastCrash: { message: string; at: string } | null = null;
  config: McpServerConfig = {};
  hash = "";
  /** While `status` is "ready". */
  connection: Connection | undefined;
  /** While `status` is "connecting": its package is being fetched. */
  installing = false;
  readonly log = new LogRing();
  /** Of an HTTP server that has no token of its own in its headers. */
  login: ServerLogin | undefined;
  private wanted: "run" | "disabled" | "needs_approval" | undefined;
  private life: AbortController | undefined;
  prior: PriorDiscovery | undefined;
  /** Of a server that sleeps, is being woken, or was lost and has its first try to come back. */
  private kept: Kept | undefined;
  private readonly waiters = new Waiters();
  readonly uses: Uses;

  constructor(
    readonly name: string,
    private readonly setup: SlotSetup,
    /** What has to end before it may start: a server of the same name that is on its way out. */
    private running: Promise<void> = Promise.resolve(),
  ) {
    this.uses = new Uses(setup.idleMs, { freed: () => this.freed(), idle: () => this.tire() });
  }

  get longestCallMs(): number | undefined {
    return this.setup.longestCallMs;
  }

  /** Takes the entry as it is now; a server that runs in another form is stopped first. */
  configure(config: McpServerConfig, approvedHash: string | undefined): void {
    const hash = approvalHash(config, this.setup.root);
    const wanted = config.disabled ? "disabled" : approvedHash === hash ? "run" : "needs_approval";
    const same = hash === this.hash && wanted === this.wanted;
    this.config = config;
    this.hash = hash;
    this.wanted = wanted;
    if (same) this.setup.changed();
    else this.restart();
  }

  /** Starts anew, with a clean slate. */
  restart(): void {
    this.stop();
    this.lastError = null;
    this.lastCrash = null;
    this.prior = undefined;
    if (this.wanted === "run") this.start();
    else this.enter(this.wanted ?? "disabled");
  }

  /** A sign-in has failed: it needs one still. */
  refuse(message: string): void {
    if (this.status === "needs_login") this.fail({ code: "login_failed", message, final: true }, false);
  }

  /** Its tools are gone at once; resolves when no process and no connection is left. */
  async close(): Promise<void> {
    this.wanted = undefined;
    this.stop();
    this.status = "disabled";
    this.waiters.tell();
    await this.running;
  }

  /** What it offers: as it says now, or, while it sleeps, wakes or comes back, as it last said. */
  get listing(): Listing | undefined {
    return this.connection ?? this.kept?.listing;
  }

  /** What it will say next may not be what it said last. */
  get isComing(): boolean {
    return this.status === "connecting" && !this.connection;
  }

  get inUse(): boolean {
    return this.uses.any;
  }

  /** A remote server costs nothing and stays connected; a local one that has not been listed in full may not sleep yet. */
  get idleSince(): number | undefined {
    const { connection } = this;
    if (!connection || connection.over || this.config.url !== undefined) return undefined;
    return !this.inUse && connection.idle && connection.settled ? this.uses.since : undefined;
  }

  /** Ends the process of a server that nobody uses. Its tools stay listed, and the next use starts it. */
  sleep(why: string): void {
    if (!this.connection || this.idleSince === undefined) return;
    this.log.add("host", why);
    this.lieDown(keepListing(this.connection));
  }

  /** Holds the server awake until the work has ended; what sleeps is woken first, and `fault` says why it could not be. */
  async use<Value>(signal: AbortSignal, work: (fault: string | undefined) => Promise<Value>): Promise<Value> {
    const end = this.uses.begin();
    try {
      return await work(await this.wake(signal));
    } finally {
      end();
    }
  }

  /** The live connection; waits a moment for one that is coming back. */
  async ready(signal: AbortSignal, patience = patienceMs): Promise<Connection | undefined> {
    if (this.connection && !this.connection.over) return this.connection;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    while (!limit.aborted) {
      if (this.connection && !this.connection.over) return this.connection;
      if (this.status !== "connecting" && this.status !== "ready") return undefined;
      await this.waiters.next(limit);
    }
    return undefined;
  }

  async icon(): Promise<ServerIcon | undefined> {
    return this.listing?.icon(this.setup.guard);
  }

  adopt(connection: Connection): void {
    this.prior = connection.verdict;
    this.connection = connection;
    this.kept = undefined;
    this.lastError = null;
    this.setup.report("info", `MCP server ${this.name} is ready with ${connection.tools.length} tools.`);
    this.setup.listed(this, connection);
    this.uses.startClock();
    this.enter("ready");
    this.setup.berths.settle();
  }

  relisted(): void {
    if (this.connection) this.setup.listed(this, this.connection);
    this.setup.changed();
    this.setup.berths.settle();
  }

  installs(isInstalling: boolean): void {
    if (this.installing === isInstalling) return;
    this.installing = isInstalling;
    this.setup.changed();
  }

  lost(connection: Connection): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    // Whoever asks while it comes back gets its tools, and a call waits for it.
    this.kept = { listing: keepListing(connection), patienceMs };
    this.uses.forget();
    this.enter("connecting");
  }

  fail(fault: Fault, served: boolean): void {
    if (fault.message !== this.lastError?.message)
      this.setup.report("warn", `MCP server ${this.name}: ${fault.message}`);
    this.lastError = fault;
    if (served && fault.code === "exited")
      this.lastCrash = { message: fault.message, at: new Date().toISOString() };
    if (!served || fault.final) this.kept = undefined;
    if (!served) this.prior = undefined;
    this.log.add("host", fault.message);
    if (fault.code.startsWith("login_")) this.enter("needs_login");
    else this.enter(served && !fault.final ? "connecting" : "failed");
  }

  private async wake(signal: AbortSignal): Promise<string | undefined> {
    if (this.status === "sleeping" && this.wanted === "run") this.start();
    if (this.connection || !this.kept) return undefined;
    if ((await this.ready(signal, this.kept.patienceMs)) || signal.aborted) return undefined;
    if (this.setup.berths.isQueued(this)) return this.setup.berths.refusal(this.name);
    return this.lastError ? absenceInWords(this.name, this.config, this.lastError.message) : undefined;
  }

  private freed(): void {
    const { berths } = this.setup;
    // Nobody waits any more for a start that has not begun.
    if (this.kept && berths.isQueued(this)) this.lieDown(this.kept.listing);
    else berths.settle();
  }

  private tire(): void {
    this.sleep("Sleeps, as nobody has used it for a while; the next use starts it.");
    if (this.connection) this.uses.startClock();
  }

  private lieDown(listing: Listing): void {
    this.stop();
    this.kept = { listing, patienceMs: (this.config.initTimeout ?? this.setup.timeoutMs) + endMs };
    this.enter("sleeping");
  }

  private start(): void {
    this.enter("connecting");
    const life = new AbortController();
    this.life = life;
    this.running = this.running.then(() => keepConnected(this, this.setup, life.signal));
  }

  private stop(): void {
    this.life?.abort();
    this.life = undefined;
    this.connection = undefined;
    this.kept = undefined;
    this.uses.forget();
    this.uses.stopClock();
  }

  private enter(status: McpServerStatus): void {
    if (status !== this.status) this.since = new Date().toISOString();
    this.status = status;
    this.waiters.tell();
    this.setup.changed();
  }
}

const absenceInWords = (name: string, { url }: McpServerConfig, why: string) =>
  url === undefined ? `${name} could not be started. ${why}` : `${name} did not come back. ${why}`;
