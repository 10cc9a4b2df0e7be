import { oncePerFrame } from "@/lib/client/http/frame";
import { ApiError, asApiError, isPassing } from "@/lib/client/http/http";
import { followRun, type RunReader } from "@/lib/client/http/stream";
import type { RunItem } from "@/lib/protocol/http";
import { getRun, maxRuns, type ReadLog, readChain, readLog, readLogs } from "./read-chain";
import type { StepLoop } from "./run-step";
import { RunSteps } from "./run-steps";
import { emptyRun, type RunView } from "./run-view";

export interface RunLogState {
  /** `lost`: what has been read stands there, and the rest cannot be had. */
  phase: "loading" | "failed" | "ready" | "lost";
  error: ApiError | null;
  /** The newest run of the chain; its `question`, `answerId` and `forkedFrom` are those of the first, its `forks` those of all. */
  run: RunItem | null;
  view: RunView;
  loops: readonly StepLoop[];
}

const empty: RunLogState = { phase: "loading", error: null, run: null, view: emptyRun, loops: [] };

/** How soon it is looked whether a run that waits goes on, and after how long at most: each look reads its log. */
const lookMs = { first: 1_500, most: 10_000 };

/** Reads a run with the runs before and after it that are one answer, and goes on reading while it goes on. */
export class RunLog {
  private state = empty;
  private readonly listeners = new Set<() => void>();
  private steps = new RunSteps();
  private reading: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly frame = oncePerFrame(() => this.draw());

  constructor(private readonly id: string) {}

  readonly snapshot = (): RunLogState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.stop();
    };
  };

  /** From the beginning. */
  start(): void {
    this.stop();
    this.steps = new RunSteps();
    this.publish(empty);
    const reading = new AbortController();
    this.reading = reading;
    document.addEventListener("visibilitychange", this.look);
    this.readAll(reading.signal).catch((cause) => this.onFailed(cause, reading.signal));
  }

  private stop(): void {
    this.reading?.abort();
    this.reading = null;
    clearTimeout(this.timer);
    this.frame.cancel();
    document.removeEventListener("visibilitychange", this.look);
  }

  private async readAll(signal: AbortSignal): Promise<void> {
    // At once, as most answers are one run.
    const early = { id: this.id, log: readLog(this.id, signal).catch(() => null) };
    const chain = await readChain(this.id, signal);
    const { question = "", answerId = null, forkedFrom } = chain[0] ?? {};
    const asFirst = (run: RunItem): RunItem => ({
      ...run,
      ...{ question, answerId, forks: forksOf(...chain) },
      ...(forkedFrom && { forkedFrom }),
    });
    const logs = readLogs([...chain], signal, early);
    for (let at = 0; at < chain.length && at < maxRuns; at++) {
      const run = chain[at] as RunItem;
      this.state = { ...this.state, run: asFirst(run) };
      const { value: log } = await logs.next();
      signal.throwIfAborted();
      await this.read(run, log || null, signal);
      if (at < chain.length - 1) continue;
      this.draw();
      // One that had ended already when it was read says nothing more.
      if (chain.length === 1 && run.status === "completed") return;
      const next = await this.nextOf(asFirst(run), signal);
      if (next) chain.push(next);
    }
  }

  /** What its log says already, at once; then what comes, where it goes on or waits. */
  private async read({ id, status }: RunItem, log: ReadLog | null, signal: AbortSignal): Promise<void> {
    this.steps.begin(id);
    for (const chunk of log?.chunks ?? []) this.steps.add(chunk);
    if (log && status !== "running" && status !== "waiting") return this.steps.setStatus(status);
    if (log) this.draw();
    const reader: RunReader = {
      onRun: () => {},
      onChunk: (chunk) => {
        this.steps.add(chunk);
        this.frame.ask();
      },
      onReset: () => this.start(),
      onEnd: (now) => {
        this.steps.setStatus(now);
        this.draw();
      },
    };
    await followRun({ runId: id, after: log?.seq ?? 0 }, reader, signal);
  }

  /** The run that goes on from this one, as soon as it is there; never, where it has ended by itself. */
  private async nextOf(run: RunItem, signal: AbortSignal): Promise<RunItem | null> {
    for (let wait = lookMs.first; ; wait = Math.min(lookMs.most, wait * 1.5)) {
      signal.throwIfAborted();
      const now = await getRun(run.id, signal).catch(whenPassing);
      if (!now) {
        await this.pause(wait, signal);
        continue;
      }
      this.publish({
        ...this.state,
        run: {
          ...now,
          question: run.question ?? "",
          answerId: run.answerId ?? now.answerId ?? null,
          forks: forksOf(run, now),
          ...(run.forkedFrom && { forkedFrom: run.forkedFrom }),
        },
      });
      if (now.continuedBy) return getRun(now.continuedBy, signal);
      if (now.status === "completed") return null;
      await this.pause(now.status === "waiting" ? wait : null, signal);
    }
  }

  private wake: () => void = () => {};
  private readonly look = () => {
    if (!document.hidden) this.wake();
  };

  /** Until then, or until the page is looked at again. */
  private async pause(ms: number | null, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.wake = wake;
      signal.addEventListener("abort", wake);
      if (ms !== null) this.timer = setTimeout(() => document.hidden || wake(), ms);
    });
    clearTimeout(this.timer);
  }

  private draw(): void {
    const { view } = this.steps;
    this.publish({ ...this.state, phase: "ready", view, loops: this.steps.loops() });
  }

  private onFailed(cause: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    const phase = this.state.loops.length > 0 ? "lost" : "failed";
    this.publish({ ...this.state, phase, error: asApiError(cause) });
  }

  private publish(state: RunLogState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

const forksOf = (...runs: RunItem[]) => [
  ...new Map(runs.flatMap(({ forks = [] }) => forks.map((fork) => [fork.runId, fork] as const))).values(),
];

/** Null for what passes by itself, as a server that starts again. */
function whenPassing(cause: unknown): null {
  if (cause instanceof ApiError && isPassing(cause)) return null;
  throw cause;
}
