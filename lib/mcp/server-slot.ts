import { setTimeout as wait } from "node:timers/promises";
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { McpServerConfig, McpServerStatus } from "@/lib/protocol/http";
import type { Connection } from "./connection";
import { explainFault, type Fault } from "./explain-fault";
import { approvalHash, type Launch, launchOf } from "./launch";
import { LogRing } from "./log-ring";
import { ServerLogin } from "./oauth/server-login";
import type { LoginSetup } from "./oauth/types";
import { type OpenOptions, openConnection } from "./open-connection";
import { RestartPolicy } from "./restart-policy";
import { ExitError, StdioTransport } from "./stdio-transport";
import { watchHealth } from "./watch-health";

/** How long a call waits for a server that is coming back. */
const patienceMs = 5_000;

export interface SlotSetup extends Omit<OpenOptions, "log" | "prior" | "login" | "changed"> {
  logins?: LoginSetup | undefined;
  root: string;
  dataDir: string;
  reservedEnv: readonly string[];
  backoffMs: number;
  longestCallMs?: number | undefined;
  report(level: "info" | "warn", message: string): void;
  /** A connection has listed its tools, for the first time or again. */
  listed(slot: ServerSlot, connection: Connection): void;
  changed(): void;
}

/** One entry of the file: keeps its server connected, or says why it is not. */
export class ServerSlot {
  status: McpServerStatus = "disabled";
  since = new Date().toISOString();
  lastError: Fault | null = null;
  config: McpServerConfig = {};
  hash = "";
  /** While `status` is "ready". */
  connection: Connection | undefined;
  readonly log = new LogRing();
  /** Of an HTTP server that has no token of its own in its headers. */
  login: ServerLogin | undefined;
  private wanted: "run" | "disabled" | "needs_approval" | undefined;
  private life: AbortController | undefined;
  private prior: PriorDiscovery | undefined;
  private readonly waiters = new Set<() => void>();

  constructor(
    readonly name: string,
    private readonly setup: SlotSetup,
    /** What has to end before it may start: a server of the same name that is on its way out. */
    private running: Promise<void> = Promise.resolve(),
  ) {}

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
    this.prior = undefined;
    if (this.wanted !== "run") {
      this.enter(this.wanted ?? "disabled");
      return;
    }
    this.enter("connecting");
    const life = new AbortController();
    this.life = life;
    this.running = this.running.then(() => this.supervise(life.signal));
  }

  /** A sign-in has failed: it needs one still. */
  refuse(message: string): void {
    if (this.status === "needs_login") this.fail({ code: "login_failed", message, final: true }, false);
  }

  /** Its tools are gone at once; resolves when no process and no connection is left. */
  async close(): Promise<void> {
    this.wanted = undefined;
    this.stop();
    await this.running;
  }

  /** The live connection; waits a moment for one that is coming back. */
  async ready(signal: AbortSignal): Promise<Connection | undefined> {
    if (this.connection && !this.connection.over) return this.connection;
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    while (!patience.aborted) {
      if (this.connection && !this.connection.over) return this.connection;
      if (this.status !== "connecting" && this.status !== "ready") return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiters.add(resolve);
      patience.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      this.waiters.delete(resolve);
    }
    return undefined;
  }

  private stop(): void {
    this.life?.abort();
    this.life = undefined;
    this.connection = undefined;
  }

  private async supervise(life: AbortSignal): Promise<void> {
    const policy = new RestartPolicy(this.setup.backoffMs, this.config.url === undefined);
    while (!life.aborted) {
      const started = Date.now();
      const end = await this.connectAndServe(life);
      if (life.aborted) return;
      const { fault, waitMs } = policy.after(end.fault, Date.now() - started);
      this.fail(fault, end.served);
      if (waitMs === undefined) return;
      await wait(waitMs, undefined, { signal: life, ref: false }).catch(() => {});
    }
  }

  /** Resolves when it is over, with the reason. */
  private async connectAndServe(life: AbortSignal): Promise<{ fault: Fault; served: boolean }> {
    let launch: Launch | undefined;
    let served = false;
    let reason: unknown;
    try {
      launch = this.prepare();
      await this.login?.load();
      const connection = await openConnection(launch, this.openOptions(), life);
      served = true;
      reason = await this.serve(connection, life);
    } catch (cause) {
      reason = cause;
    }
    const fault = explainFault(reason, launch, this.log.last("stderr"));
    return { served, fault: { ...fault, message: this.log.blot(fault.message) } };
  }

  private prepare(): Launch {
    const { root, dataDir, env, reservedEnv: reserved } = this.setup;
    const launch = launchOf(this.config, { env, reserved, root, dataDir });
    this.log.hide(Object.values(launch.kind === "stdio" ? launch.env : launch.headers));
    this.log.add(
      "host",
      launch.kind === "stdio" ? `Starting ${launch.command}` : `Connecting to ${launch.url.host}`,
    );
    this.login = this.loginFor(launch);
    return launch;
  }

  /** The same one as long as it is the same server: it knows what was said when it was refused. */
  private loginFor(launch: Launch): ServerLogin | undefined {
    const { logins: setup, privateHosts, guard } = this.setup;
    if (launch.kind === "stdio" || !setup) return undefined;
    const { url, headers, oauth: config } = launch;
    if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
    if (this.login?.isFor(url, config)) return this.login;
    return new ServerLogin({ server: this.name, url, config, setup, privateHosts, guard });
  }

  private openOptions(): OpenOptions {
    const { listed, changed } = this.setup;
    return {
      ...this.setup,
      log: this.log,
      login: this.login,
      prior: this.prior,
      changed: () => {
        // Called from timers and handlers, where an error would end the process.
        try {
          if (this.connection) listed(this, this.connection);
          changed();
        } catch (cause) {
          this.log.add("host", `The new list could not be taken up: ${cause}`);
        }
      },
    };
  }

  /** Until the connection is lost or given up; resolves with the reason. */
  private async serve(connection: Connection, life: AbortSignal): Promise<unknown> {
    const stopWatching = this.config.url === undefined ? () => {} : watchHealth(connection);
    const given = Promise.withResolvers<unknown>();
    const giveUp = () => given.resolve(life.reason);
    life.addEventListener("abort", giveUp, { once: true });
    try {
      if (life.aborted) giveUp();
      else this.adopt(connection);
      const reason = await Promise.race([connection.closed, given.promise]);
      const exit = connection.transport instanceof StdioTransport ? connection.transport.exit : undefined;
      return exit ? new ExitError(exit) : reason;
    } finally {
      life.removeEventListener("abort", giveUp);
      stopWatching();
      if (this.connection === connection) {
        this.connection = undefined;
        this.enter("connecting");
      }
      await connection.close();
    }
  }

  private adopt(connection: Connection): void {
    this.prior = connection.verdict;
    this.connection = connection;
    this.lastError = null;
    this.setup.report("info", `MCP server ${this.name} is ready with ${connection.tools.length} tools.`);
    this.setup.listed(this, connection);
    this.enter("ready");
  }

  private fail(fault: Fault, served: boolean): void {
    if (fault.message !== this.lastError?.message)
      this.setup.report("warn", `MCP server ${this.name}: ${fault.message}`);
    this.lastError = fault;
    if (!served) this.prior = undefined;
    this.log.add("host", fault.message);
    if (fault.code.startsWith("login_")) this.enter("needs_login");
    else this.enter(served && !fault.final ? "connecting" : "failed");
  }

  private enter(status: McpServerStatus): void {
    if (status !== this.status) this.since = new Date().toISOString();
    this.status = status;
    for (const wake of this.waiters) wake();
    this.setup.changed();
  }
}
