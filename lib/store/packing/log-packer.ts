import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Engine } from "@/lib/store/engine";
import { mayPass } from "@/lib/store/errors";
import type { DB } from "@/lib/store/schema";
import { packLog } from "./pack-log";

export interface PackerOptions {
  /** Until an ended run is looked at: those who read along have read its end by then. */
  delayMs?: number;
  /** Until a disk that has refused is tried again. */
  retryMs?: number;
  /** Without anything to do, until the journals are emptied, which waits for the disk. */
  idleMs?: number;
  /** Is told of a log that cannot be packed; it stays as it is. */
  onFault?: (cause: unknown) => void;
}

/** Packs the logs of ended runs in the background, one at a time, and gives free pages back to the disk. */
export interface LogPacker {
  /** This run has ended. */
  add(runId: string): void;
  /** Something was deleted. */
  tidy(): void;
  close(): Promise<void>;
}

/** Runs that wait; of more of them some are found at the next start. */
const maxWaiting = 10_000;
/** The end of a log is stored after that of its run, and later still on a full disk. */
const maxTries = 5;
/** Runs that one look at what earlier starts have left goes through. */
const pageSize = 200;
/** Given back by one step, in less than 1 ms. */
const pagesAtOnce = 16;
/** Between two steps, each of a few ms. */
const restMs = 25;

export function openLogPacker(engine: Engine, options: PackerOptions = {}): LogPacker {
  const packer = new Packer(engine, options);
  const work = packer.work();
  return {
    add: (runId) => packer.add(runId),
    tidy: () => packer.tidy(),
    close: () => {
      packer.closing.abort();
      return work;
    },
  };
}

class Packer {
  readonly closing = new AbortController();
  /** By run, how often it was looked at. */
  private readonly waiting = new Map<string, number>();
  private called = Promise.withResolvers<void>();
  private isIdle = true;
  /** The last run that `findLeft` has looked at; undefined when it has seen all. */
  private after: number | undefined = 0;

  constructor(
    private readonly engine: Engine,
    private readonly options: PackerOptions,
  ) {}

  add(runId: string): void {
    if (this.waiting.size < maxWaiting) this.waiting.set(runId, 0);
    this.tidy();
  }

  tidy(): void {
    this.isIdle = false;
    this.called.resolve();
  }

  /** Ends when it is closed; never rejects. */
  async work(): Promise<void> {
    const { signal } = this.closing;
    signal.addEventListener("abort", () => this.called.resolve(), { once: true });
    while (!signal.aborted)
      try {
        await this.pause(this.options.delayMs ?? 2_000);
        await this.round();
        if (this.waiting.size > 0) continue;
        await Promise.race([this.called.promise, this.pause(this.options.idleMs ?? 5_000)]);
        if (this.isIdle) await this.engine.checkpoint();
        await this.called.promise;
        this.called = Promise.withResolvers();
        this.isIdle = true;
      } catch (cause) {
        if (signal.aborted) return;
        if (!mayPass(cause)) this.options.onFault?.(cause);
        await this.pause(this.options.retryMs ?? 60_000).catch(() => {});
      }
  }

  private async round(): Promise<void> {
    while (this.after !== undefined) this.after = await this.findLeft(this.after);
    for (const id of [...this.waiting.keys()]) await this.pack(id);
    while (await this.engine.giveBack(pagesAtOnce)) await this.rest();
  }

  /** Takes up runs of which the end of the log is not packed; gives where to go on. */
  private async findLeft(after: number): Promise<number | undefined> {
    const runs = await leftAfter(this.engine.log, after);
    for (const { run_id, isPacked } of runs)
      if (!isPacked && this.waiting.size < maxWaiting) this.waiting.set(run_id, maxTries);
    await this.rest();
    return runs.length < pageSize ? undefined : runs.at(-1)?.run;
  }

  private async pack(runId: string): Promise<void> {
    const tries = (this.waiting.get(runId) ?? 0) + 1;
    const outcome = await packLog(this.engine, runId, () => this.rest()).catch((cause: unknown) => {
      if (this.closing.signal.aborted || mayPass(cause)) throw cause;
      this.options.onFault?.(cause);
    });
    if (outcome === "unfinished" && tries < maxTries) this.waiting.set(runId, tries);
    else this.waiting.delete(runId);
  }

  /** So that it takes the processor for a small part of the time. */
  private rest(): Promise<void> {
    return this.pause(restMs);
  }

  private pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { ref: false, signal: this.closing.signal });
  }
}

/** A page of runs, and whether the last row of each is packed. */
async function leftAfter(log: Kysely<DB>, after: number) {
  const runs = await log
    .selectFrom("run_key")
    .select((eb) => [
      "run",
      "run_id",
      eb
        .selectFrom("event_range")
        .select((range) => range("packed", "is not", null).as("is_packed"))
        .whereRef("event_range.run", "=", "run_key.run")
        .orderBy("first", "desc")
        .limit(1)
        .as("is_packed"),
    ])
    .where("run", ">", after)
    .orderBy("run")
    .limit(pageSize)
    .execute();
  return runs.map(({ run, run_id, is_packed }) => ({ run, run_id, isPacked: Boolean(is_packed) }));
}
