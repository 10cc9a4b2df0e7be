import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import type { Engine } from "./engine";
import type { DB } from "./schema";

/** May run twice: again by itself, when what it shared a transaction with could not be committed. */
type Work = (trx: Transaction<DB>) => Promise<void>;

interface Job extends PromiseWithResolvers<void> {
  work: Work;
  onCommitted: (() => void) | undefined;
}

/** Jobs of one transaction, so that others get their turn between two of them. */
const maxJobs = 64;

const savepoint = CompiledQuery.raw("savepoint job");
const release = CompiledQuery.raw("release savepoint job");
const undo = CompiledQuery.raw("rollback to savepoint job");

/**
 * Transactions of one turn of the event loop share a commit: the more begins and ends at once, the less each waits for
 * the disk. One that fails changes nothing and fails alone. How many wait is bounded by how many runs go on.
 */
export class SharedCommit {
  private waiting: Job[] = [];
  private isUnderWay = false;

  constructor(
    private readonly db: Kysely<DB>,
    private readonly commitEarly?: Engine["commitEarly"],
  ) {}

  /** Resolves when it survives a power cut; `onCommitted` is called once before, as soon as it survives the death of the process. */
  run(work: Work, onCommitted?: () => void): Promise<void> {
    const job = { work, onCommitted, ...Promise.withResolvers<void>() };
    if (this.waiting.push(job) === 1 && !this.isUnderWay) setImmediate(this.drain);
    return job.promise;
  }

  private drain = async (): Promise<void> => {
    this.isUnderWay = true;
    while (this.waiting.length > 0) {
      const jobs = this.waiting.splice(0, maxJobs);
      await (jobs.length === 1 ? this.commitEach(jobs) : this.commitTogether(jobs));
    }
    this.isUnderWay = false;
  };

  /** Settles every job; never rejects itself. */
  private async commitTogether(jobs: readonly Job[]): Promise<void> {
    const faults = new Map<Job, unknown>();
    const committed = await this.commit(jobs, (trx) => runEach(trx, jobs, faults)).catch(() => undefined);
    if (!committed) return this.commitEach(jobs);
    for (const job of jobs)
      if (faults.has(job)) job.reject(faults.get(job));
      else settle(job, committed);
  }

  private async commitEach(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs)
      await this.commit([job], job.work).then((committed) => settle(job, committed), job.reject);
  }

  /** Early where nobody waits for more. */
  private async commit(jobs: readonly Job[], work: Work): Promise<{ durable?: Promise<void> }> {
    if (!this.commitEarly || !jobs.every(({ onCommitted }) => onCommitted)) {
      await this.db.transaction().execute(work);
      return {};
    }
    const committed = await this.commitEarly(work);
    // Where each of them was refused nobody waits for it.
    committed.durable.catch(() => {});
    return committed;
  }
}

function settle({ onCommitted, resolve, reject }: Job, { durable }: { durable?: Promise<void> }): void {
  onCommitted?.();
  if (durable) durable.then(resolve, reject);
  else resolve();
}

async function runEach(trx: Transaction<DB>, jobs: readonly Job[], faults: Map<Job, unknown>): Promise<void> {
  for (const job of jobs) {
    await trx.executeQuery(savepoint);
    try {
      await job.work(trx);
    } catch (cause) {
      faults.set(job, cause);
      // Throws where a full disk has ended the whole transaction: then each is tried by itself.
      await trx.executeQuery(undo);
    }
    await trx.executeQuery(release);
  }
}
