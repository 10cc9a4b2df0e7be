import type { Connection } from "@/lib/mcp/connection/connection";
import type { Fault } from "@/lib/mcp/faults/fault";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { LimitedProcess, ProcessLimit } from "./process-limit";
import { type CurrentState, type LastSeen, lastSeenOf } from "./server-state";
import { UsageTracker } from "./usage-tracker";

/** How long the end of the last process may take before the next one can start. */
const processEndMs = 2_500;

export interface SleepSetup {
  /** A local server that has not been used for this long is put to sleep. */
  idleMs: number;
  /** How long a server may take to connect, unless its entry says. */
  timeoutMs: number;
  processLimit: ProcessLimit;
  /** Whose connections these are; undefined for those that everybody shares. Those of people are many, and all sleep. */
  person?: string | undefined;
}

interface Sleeper {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly state: CurrentState;
  readonly log: LogRing;
  connect(lastSeen: LastSeen, error: Fault | null): void;
}

/** Puts a local server that nobody uses to sleep: its process ends, its tools stay listed, and the next use wakes it. */
export class SleepCycle implements LimitedProcess {
  readonly usage: UsageTracker;

  constructor(
    private readonly server: Sleeper,
    private readonly setup: SleepSetup,
  ) {
    this.usage = new UsageTracker(setup.idleMs, {
      onReleased: () => this.onReleased(),
      onIdle: () => this.onIdle(),
    });
  }

  get inUse(): boolean {
    return this.usage.inUse;
  }

  /**
   * A remote server that all share costs nothing and stays connected; one that has not been listed in full may not sleep
   * yet.
   */
  get idleSince(): number | undefined {
    const { state, config } = this.server;
    const { connection } = state;
    const stays = config.url !== undefined && this.setup.person === undefined;
    if (!connection || connection.closed || stays) return undefined;
    return !this.inUse && connection.idle && connection.settled ? this.usage.idleSince : undefined;
  }

  /** Ends the process of a server that nobody uses. Its tools stay listed, and the next use starts it. */
  sleep(why: string): void {
    const { connection } = this.server.state;
    if (!connection || this.idleSince === undefined) return;
    this.server.log.add("host", why);
    this.enterSleep(lastSeenOf(connection));
  }

  /** Keeps the server awake until the work has ended; wakes it first, and `fault` says why that failed. */
  async use<Value>(signal: AbortSignal, work: (fault: string | undefined) => Promise<Value>): Promise<Value> {
    const end = this.usage.begin();
    try {
      return await work(await this.wake(signal));
    } finally {
      end();
    }
  }

  /** The server has entered another state. */
  onStateChange(connection: Connection | undefined): void {
    if (connection) this.usage.restartClock();
    else this.usage.reset();
  }

  /** Resolves with the reason when the server could not be woken. */
  private async wake(signal: AbortSignal): Promise<string | undefined> {
    const { name, config, state } = this.server;
    const { processLimit } = this.setup;
    if (state.value.status === "sleeping") this.server.connect(state.value.lastSeen, state.value.error);
    const { lastSeen } = state;
    if (!lastSeen) return undefined;
    if ((await state.ready(signal, lastSeen.waitMs)) || signal.aborted) return undefined;
    if (processLimit.isQueued(this)) return processLimit.refusal(name);
    return state.error ? absenceInWords(name, config, state.error.message) : undefined;
  }

  /** A start that has not begun is given up: nobody waits for it any more. */
  private onReleased(): void {
    const { lastSeen } = this.server.state;
    if (lastSeen && this.setup.processLimit.isQueued(this)) this.enterSleep(lastSeen);
    else this.setup.processLimit.rebalance();
  }

  private onIdle(): void {
    this.sleep("Sleeps, as nobody has used it for a while; the next use starts it.");
    if (this.server.state.connection) this.usage.restartClock();
  }

  private enterSleep(seen: Omit<LastSeen, "waitMs">): void {
    const { config, state } = this.server;
    const waitMs = (config.initTimeout ?? this.setup.timeoutMs) + processEndMs;
    state.enter({ status: "sleeping", lastSeen: { ...seen, waitMs }, error: state.error });
  }
}

const absenceInWords = (name: string, { url }: McpServerConfig, why: string) =>
  url === undefined ? `${name} could not be started. ${why}` : `Could not reconnect to ${name}. ${why}`;
