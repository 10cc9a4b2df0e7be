import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { Connection } from "@/lib/mcp/connection/connection";
import { keepListing, type Listing } from "@/lib/mcp/connection/listing";
import type { Fault } from "@/lib/mcp/faults/fault";
import type { McpServerStatus } from "@/lib/protocol/mcp";

/** What is true of a server at one moment: each member has what exists in that state, and nothing else. */
export type ServerState =
  /** Not in the file: an entry that has not been read yet, or a server that was removed. */
  | { status: "absent" }
  | { status: "needs_approval" }
  /** `error`: why it is off although its entry has it on. */
  | { status: "disabled"; error?: Fault | null }
  | {
      status: "connecting";
      run: ServerRun;
      /** Of a server that is being woken, or was lost and makes its first try to reconnect. */
      lastSeen?: LastSeen | undefined;
      /** Why it was lost. */
      error: Fault | null;
    }
  | { status: "ready"; run: ServerRun; connection: Connection }
  | { status: "sleeping"; lastSeen: LastSeen; error: Fault | null }
  /** With a run it is tried again after a pause, and stays in this state until a try succeeds. */
  | { status: "failed"; run: ServerRun | undefined; error: Fault }
  | { status: "needs_login"; error: Fault };

/** The tries of `keepConnected` from one start to the next stop. */
export interface ServerRun {
  stop: AbortController;
  /** Its package is being downloaded. */
  installing: boolean;
}

/** What is known of a server that is not connected now. */
export interface LastSeen {
  listing: Listing;
  /** Saves the next connection the probe for the protocol revision. */
  discovery: PriorDiscovery;
  /** How long a use waits for the server: longer for a process that has to be started than for one that was lost. */
  waitMs: number;
}

/** The state of one server; `enter` is the only place where it changes. */
export class CurrentState {
  /** When the status last changed. */
  since = new Date().toISOString();
  private current: ServerState = { status: "absent" };
  /** Each wakes a caller of `ready`. */
  private readonly waiting = new Set<() => void>();

  constructor(private readonly onEnter: (state: ServerState) => void) {}

  get value(): ServerState {
    return this.current;
  }

  /** As the API names it: to a reader, a server that is not in the file is one that is switched off. */
  get status(): McpServerStatus {
    return this.current.status === "absent" ? "disabled" : this.current.status;
  }

  get run(): ServerRun | undefined {
    return "run" in this.current ? this.current.run : undefined;
  }

  get connection(): Connection | undefined {
    return this.current.status === "ready" ? this.current.connection : undefined;
  }

  get lastSeen(): LastSeen | undefined {
    return "lastSeen" in this.current ? this.current.lastSeen : undefined;
  }

  get error(): Fault | null {
    return "error" in this.current ? (this.current.error ?? null) : null;
  }

  /** Ends a run that the next state does not have. */
  enter(next: ServerState): void {
    const { run, status } = this;
    this.current = next;
    if (this.status !== status) this.since = new Date().toISOString();
    if (this.run !== run) run?.stop.abort();
    this.onEnter(next);
    for (const wake of this.waiting) wake();
  }

  /** The live connection; waits for one that is being made. */
  async ready(signal: AbortSignal, waitMs: number): Promise<Connection | undefined> {
    if (this.connection && !this.connection.closed) return this.connection;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    while (!limit.aborted) {
      if (this.connection && !this.connection.closed) return this.connection;
      if (this.current.status !== "connecting" && this.current.status !== "ready") return undefined;
      await this.next(limit);
    }
    return undefined;
  }

  /** Resolves with the next change, or when the signal fires. */
  private async next(limit: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    limit.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.waiting.delete(resolve);
  }
}

/** What stays known of a server whose connection ends. */
export const lastSeenOf = (connection: Connection): Omit<LastSeen, "waitMs"> => ({
  listing: keepListing(connection),
  discovery: connection.discovery,
});
