import type { ApprovalRule } from "@/lib/mcp/config/approval-rule";
import type { Connection } from "@/lib/mcp/connection/connection";
import type { Listing } from "@/lib/mcp/connection/listing";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import type { Fault } from "@/lib/mcp/faults/fault";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import { LogRing } from "@/lib/mcp/transport/log-ring";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { type ConnectionOwner, type ConnectSetup, keepConnected } from "./keep-connected";
import { CurrentState, type LastSeen, lastSeenOf } from "./server-state";
import { SleepCycle, type SleepSetup } from "./sleep-cycle";

/** How long a call waits for a server that is reconnecting. */
const reconnectWaitMs = 5_000;

export interface ServerSetup extends ConnectSetup, Pick<SleepSetup, "idleMs" | "person"> {
  longestCallMs?: number | undefined;
  /** Whether each person has a connection of their own to the server of this entry. */
  isPersonal(config: McpServerConfig): boolean;
  rule: ApprovalRule;
  /** Why the server of this entry is not started here, whatever its approval; undefined for one that is. */
  reasonOff?: ((name: string, config: McpServerConfig) => Fault | undefined) | undefined;
  report(level: "info" | "warn", message: string): void;
  /** The tools of a server as people have accepted them, for when it does not list any. */
  acceptedTools(name: string): readonly ServerTool[];
  /**
   * A connection has listed its tools, for the first time or again. Resolves, where that takes a moment, when it is known
   * what is accepted of them.
   */
  onListed(server: ManagedServer, connection: Connection): void | Promise<void>;
  onChange(): void;
  /** Told of each call that has ended. `server`: undefined for one that a person has added for themselves. */
  onCalled?: ((server: string | undefined, status: string) => void) | undefined;
}

type Wanted = "connecting" | "disabled" | "off" | "needs_approval";

/** One entry of the file: keeps its server connected or asleep, or says why it is neither. */
export class ManagedServer implements ConnectionOwner {
  config: McpServerConfig = {};
  /** Of the form of the entry that a person approves. */
  hash = "";
  /** How its process last ended by itself after it had been ready; cleared by a restart by hand. */
  lastCrash: { message: string; at: string } | null = null;
  /** Of an HTTP server without a token in its headers. */
  login: ServerLogin | undefined;
  readonly log = new LogRing();
  readonly sleepCycle: SleepCycle;
  readonly state = new CurrentState(() => {
    this.sleepCycle.onStateChange(this.state.connection);
    this.setup.onChange();
  });

  constructor(
    readonly name: string,
    private readonly setup: ServerSetup,
    /** Resolves when no process is left, of an earlier server of this name or of its last run. */
    private ended: Promise<void> = Promise.resolve(),
  ) {
    this.sleepCycle = new SleepCycle(this, setup);
  }

  get scope(): "shared" | "user" {
    return this.setup.isPersonal(this.config) ? "user" : "shared";
  }

  get longestCallMs(): number | undefined {
    return this.setup.longestCallMs;
  }

  /** What it offers: as it says now, or as it last said while it sleeps, wakes or reconnects. */
  get listing(): Listing | undefined {
    return this.state.connection ?? this.state.lastSeen?.listing;
  }

  /**
   * What models may call: what it lists, or what was accepted of it while nothing but a new sign-in is missing, so that a call
   * can ask for that. Who has signed out is not asked again.
   */
  get offeredTools(): readonly ServerTool[] {
    if (this.listing) return this.listing.tools;
    const wasSignedIn = this.login?.signedInAt !== undefined;
    return this.needsSignIn && wasSignedIn ? this.setup.acceptedTools(this.name) : [];
  }

  /** It takes no calls before a person signs in. */
  get needsSignIn(): boolean {
    return this.state.status === "needs_login" && this.login?.isForPeople === true;
  }

  get discovery() {
    return this.state.lastSeen?.discovery;
  }

  /** One has ended, as the word says. */
  noteCall(status: string): void {
    const { isOwned, onCalled } = this.setup;
    onCalled?.(isOwned?.(this.name) ? undefined : this.name, status);
  }

  /** Takes the entry as it is now; a server that runs in another form is stopped first. */
  configure(config: McpServerConfig, approvedHash: string | undefined): void {
    const hash = this.setup.rule.hashOf(config);
    const wanted = this.wantedOf(config, hash, approvedHash);
    const isSame = hash === this.hash && wanted === this.wanted;
    this.config = config;
    this.hash = hash;
    // Each person connects to it for themselves, and nobody for all.
    const isOfNobody = this.scope === "user" && this.setup.person === undefined;
    if (isOfNobody) this.state.enter({ status: "absent" });
    else if (isSame) this.setup.onChange();
    else this.begin(wanted);
  }

  /** Starts again, and forgets how it failed before. */
  restart(): void {
    const { wanted } = this;
    if (wanted) this.begin(wanted);
  }

  /** Its tools are gone at once; resolves when no process and no connection is left. */
  async close(): Promise<void> {
    this.state.enter({ status: "absent" });
    await this.ended;
  }

  /** The live connection; waits a moment for one that is being made. */
  ready(signal: AbortSignal): Promise<Connection | undefined> {
    return this.state.ready(signal, reconnectWaitMs);
  }

  onConnected(connection: Connection): void | Promise<void> {
    const { run } = this.state;
    if (!run) return;
    this.setup.report("info", `MCP server ${this.name} is ready with ${connection.tools.length} tools.`);
    const known = this.setup.onListed(this, connection);
    const enter = () => {
      if (this.state.run !== run) return;
      this.state.enter({ status: "ready", run, connection });
      this.setup.processLimit.rebalance();
    };
    return known ? known.then(enter) : enter();
  }

  onRelisted(): void {
    if (this.state.connection) void this.setup.onListed(this, this.state.connection);
    this.setup.onChange();
    this.setup.processLimit.rebalance();
  }

  onInstalling(installing: boolean): void {
    const { run } = this.state;
    if (!run || run.installing === installing) return;
    run.installing = installing;
    this.setup.onChange();
  }

  /** Its tools stay listed while it reconnects, and a call waits for it. */
  onDisconnect(connection: Connection): void {
    const state = this.state.value;
    if (state.status !== "ready" || state.connection !== connection) return;
    const lastSeen = { ...lastSeenOf(connection), waitMs: reconnectWaitMs };
    this.state.enter({ status: "connecting", run: state.run, lastSeen, error: null });
  }

  onFailure(error: Fault, served: boolean): void {
    const { run, lastSeen, error: before } = this.state;
    if (error.message !== before?.message)
      this.setup.report("warn", `MCP server ${this.name}: ${error.message}`);
    if (served && error.code === "exited")
      this.lastCrash = { message: error.message, at: new Date().toISOString() };
    this.log.add("host", error.message);
    if (error.code.startsWith("login_")) this.state.enter({ status: "needs_login", error });
    else if (served && run && !error.final) this.state.enter({ status: "connecting", run, lastSeen, error });
    else this.state.enter({ status: "failed", run: error.final ? undefined : run, error });
  }

  onLoginFailed(message: string): void {
    if (this.state.status === "needs_login")
      this.onFailure({ code: "login_failed", message, final: true }, false);
  }

  /** What the entry and its approval ask for; undefined for a server that is not in the file. */
  private get wanted(): Wanted | undefined {
    const { status } = this.state.value;
    if (status === "absent") return undefined;
    if (status === "disabled") return this.state.error ? "off" : "disabled";
    return status === "needs_approval" ? status : "connecting";
  }

  private wantedOf(config: McpServerConfig, hash: string, approvedHash: string | undefined): Wanted {
    if (config.disabled) return "disabled";
    if (this.setup.reasonOff?.(this.name, config)) return "off";
    return this.setup.rule.isApproved(config, approvedHash, hash) ? "connecting" : "needs_approval";
  }

  private begin(wanted: Wanted): void {
    this.lastCrash = null;
    if (wanted === "connecting") this.connect(undefined, null);
    else if (wanted === "off")
      this.state.enter({ status: "disabled", error: this.setup.reasonOff?.(this.name, this.config) ?? null });
    else this.state.enter({ status: wanted });
  }

  connect(lastSeen: LastSeen | undefined, error: Fault | null): void {
    const stop = new AbortController();
    this.state.enter({ status: "connecting", run: { stop, installing: false }, lastSeen, error });
    this.ended = this.ended.then(() => this.keepConnected(stop));
  }

  /** Never rejects: the next start waits for its end. */
  private async keepConnected(stop: AbortController): Promise<void> {
    try {
      await keepConnected(this, this.setup, stop.signal);
    } catch (cause) {
      this.log.add("host", `Connecting ended with an internal error: ${cause}`);
      if (this.state.run?.stop === stop)
        this.state.enter({ status: "failed", run: undefined, error: internalFault });
    }
  }
}

const internalFault: Fault = {
  code: "internal",
  message: "Something went wrong on our side; the log says more.",
  final: true,
};
