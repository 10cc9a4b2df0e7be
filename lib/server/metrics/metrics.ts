import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Env } from "@/lib/server/env";
import type { Exchanges } from "@/lib/server/gateway/exchanges";
import type { AttemptOutcome } from "@/lib/server/hooks/hook-sender";
import type { HintLines } from "@/lib/server/http/hint-lines";
import type { LiveRuns } from "@/lib/server/loop/live-runs";
import { remoteRuns } from "@/lib/server/runs/remote-runs";
import type { Scheduler } from "@/lib/server/schedules/scheduler";
import type { Store } from "@/lib/store/ports";

/** Names of servers that are told apart; a scraper keeps a series for each of them. */
const maxServers = 200;

/** What the figures are read from when somebody asks for them. */
interface Watched {
  store: Pick<Store, "members" | "runs" | "log" | "bus" | "sessions" | "hookDeliveries">;
  runs: LiveRuns;
  hints: Pick<HintLines, "count">;
  exchanges: Pick<Exchanges, "count" | "streams" | "calls">;
  scheduler: Pick<Scheduler, "counts">;
}

/** Figures of this process for Prometheus. What can be read when they are asked for costs nothing before. */
export class Metrics {
  private readonly servers = new Set<string>();
  private readonly hookAttempts: Record<AttemptOutcome, number> = { arrived: 0, again: 0, failed: 0 };

  private constructor(
    private readonly registry: Registry,
    private readonly kinds: {
      commitEvents: Histogram;
      commitSeconds: Histogram;
      remoteSeconds: Histogram;
      calls: Counter<"server" | "status">;
      commands: Counter<"kind" | "outcome">;
      Gauge: typeof import("prom-client").Gauge;
      Counter: typeof import("prom-client").Counter;
    },
  ) {}

  /** Begins to count where somebody may ask; `onCommit` and `onCalled` are to be told, and `watch` to be called once. */
  static async open({ METRICS_TOKEN }: Pick<Env, "METRICS_TOKEN">): Promise<Metrics | undefined> {
    if (METRICS_TOKEN === undefined) return undefined;
    const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import("prom-client");
    const registry = new Registry();
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    const commitEvents = new Histogram({
      ...{
        name: "meguri_log_commit_events",
        help: "Events that one commit of the run log holds.",
        registers,
      },
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000],
    });
    const commitSeconds = new Histogram({
      ...{ name: "meguri_log_commit_seconds", help: "How long a commit of the run log takes.", registers },
      buckets: [0.000_1, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
    });
    const remoteSeconds = new Histogram({
      name: "meguri_remote_lag_seconds",
      help: "How old an event of another process is when a reader here gets it.",
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    });
    const calls = new Counter({
      ...{ name: "meguri_mcp_calls_total", help: "Calls of MCP tools by how they ended.", registers },
      labelNames: ["server", "status"] as const,
    });
    const commands = new Counter({
      ...{ name: "meguri_commands_total", help: "What other processes have asked of this one.", registers },
      labelNames: ["kind", "outcome"] as const,
    });
    return new Metrics(registry, {
      ...{ commitEvents, commitSeconds, remoteSeconds, calls, commands, Gauge, Counter },
    });
  }

  readonly onCommit = (events: number, seconds: number): void => {
    this.kinds.commitEvents.observe(events);
    this.kinds.commitSeconds.observe(seconds);
  };

  readonly onRemoteRead = (seconds: number): void => this.kinds.remoteSeconds.observe(seconds);

  /** `server`: undefined for one that a person has added for themselves, whose name is theirs. */
  readonly onCalled = (server: string | undefined, status: string): void => {
    this.kinds.calls.inc({ server: this.labelOf(server), status });
  };

  readonly onCommand = (kind: string, outcome: "done" | "refused"): void =>
    this.kinds.commands.inc({ kind, outcome });

  readonly onHookAttempt = (outcome: AttemptOutcome): void => {
    this.hookAttempts[outcome]++;
  };

  watch({ store, runs, hints, exchanges, scheduler }: Watched): void {
    const { members, sessions } = store;
    const { counts } = runs;
    this.gauge("meguri_runs_live", "Answers that are being written here.", () => runs.count);
    this.gauge("meguri_event_lines", "Browsers and programs that are told what changes.", () => hints.count);
    this.gauges(
      "meguri_run_readers",
      "Streams of runs that are read here, by who writes the run.",
      "owner",
      () => ({
        self: runs.readers,
        other: remoteRuns(store).readers,
      }),
    );
    this.watchGateway(exchanges);
    this.total(
      "meguri_schedules_total",
      "Times of schedules that were seen to here, by what became of them.",
      () => scheduler.counts,
      "outcome",
    );
    this.total(
      "meguri_hook_attempts_total",
      "Deliveries to hooks that were sent from here, by what became of each attempt.",
      () => this.hookAttempts,
      "outcome",
    );
    this.gauge(
      "meguri_hook_deliveries_waiting",
      "Deliveries of all instances that are still to arrive.",
      () =>
        // The other figures are told all the same where the store does not answer.
        store.hookDeliveries.waiting().catch(() => Number.NaN),
    );
    this.total(
      "meguri_runs_taken_over_total",
      "Runs of others that were ended here.",
      () => counts.takenOver,
    );
    this.total("meguri_runs_given_up_total", "Runs that others have taken over.", () => counts.givenUp);
    if (members.mayBeMany) {
      this.gauge(
        "meguri_lease_remaining_seconds",
        "How long others still leave its runs to it.",
        () => members.remainingMs() / 1_000,
      );
      this.gauge("meguri_bus_up", "Whether hints of other processes come the way they are meant to.", () =>
        Number(store.bus.isUp),
      );
    }
    if (sessions)
      this.gauges(
        "meguri_database_sessions",
        "Sessions of the pool, and what waits for one.",
        "state",
        () => ({
          ...sessions(),
        }),
      );
  }

  private watchGateway(exchanges: Watched["exchanges"]): void {
    const { calls } = exchanges;
    this.gauge(
      "meguri_gateway_requests",
      "Requests of MCP clients that are being answered here.",
      () => exchanges.count,
    );
    this.gauge(
      "meguri_gateway_streams",
      "Streams on which MCP clients are told what changes.",
      () => exchanges.streams,
    );
    this.total(
      "meguri_gateway_calls_total",
      "Calls of MCP clients by how they ended.",
      () => calls,
      "outcome",
    );
  }

  /** In the text format of Prometheus. */
  async answer(): Promise<Response> {
    const headers = { "Content-Type": this.registry.contentType, "Cache-Control": "no-store" };
    return new Response(await this.registry.metrics(), { headers });
  }

  private labelOf(server: string | undefined): string {
    if (server === undefined) return "(personal)";
    if (this.servers.size < maxServers) this.servers.add(server);
    return this.servers.has(server) ? server : "(other)";
  }

  /** One that has a series for each of these, by what the label says. */
  private gauges(
    name: string,
    help: string,
    label: string,
    read: () => Readonly<Record<string, number>>,
  ): void {
    const gauge: Gauge = new this.kinds.Gauge({
      ...{ name, help, registers: [this.registry], labelNames: [label] },
      collect: () => {
        for (const [value, count] of Object.entries(read())) gauge.set({ [label]: value }, count);
      },
    });
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new this.kinds.Gauge({
      ...{ name, help, registers: [this.registry] },
      collect: async () => gauge.set(await read()),
    });
  }

  /** With a label it has a series for each of the values that are read. */
  private total(
    name: string,
    help: string,
    read: () => number | Readonly<Record<string, number>>,
    label?: string,
  ): void {
    const counter: Counter = new this.kinds.Counter({
      ...{ name, help, registers: [this.registry], labelNames: label === undefined ? [] : [label] },
      collect: () => {
        counter.reset();
        const values = read();
        if (typeof values === "number") return counter.inc(values);
        for (const [value, count] of Object.entries(values)) counter.inc({ [label ?? ""]: value }, count);
      },
    });
  }
}
