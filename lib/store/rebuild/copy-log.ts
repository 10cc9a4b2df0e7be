import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import type { Engine } from "@/lib/store/engine";
import { StoreError } from "@/lib/store/errors";
import type { EventRange } from "@/lib/store/event-range";
import { type OldLog, readOldLog } from "@/lib/store/migrations/gather-events";
import { migrate } from "@/lib/store/migrations/migrate";
import { packLog } from "@/lib/store/packing/pack-log";
import { readRange, type StoredRange } from "@/lib/store/packing/packed-range";
import type { DB } from "@/lib/store/schema";
import { sqliteDialect } from "@/lib/store/sqlite-dialect";
import { openLogWriter } from "@/lib/store/sqlite-log-writer";
import type { Progress } from "./progress";

interface Paths {
  from: string;
  to: string;
}

/** The version of a log with a row for each event. */
export const rowPerEvent = 6;

/**
 * Writes a log that has a row for each event into a new file of today's form, with the logs of ended runs packed, and
 * reads both again to see that each run holds the same. It keeps about a megabyte in memory at a time.
 */
export async function copyLog({ from, to }: Paths, progress: Pick<Progress, "at">): Promise<void> {
  const old = new Kysely<OldLog>({ dialect: sqliteDialect(from, "normal") });
  const file = Promise.withResolvers<DatabaseSync>();
  const log = new Kysely<DB>({ dialect: sqliteDialect(to, "normal", { onOpen: file.resolve }) });
  try {
    await migrate(log, ["log"], to);
    const total = await countRuns(old);
    await writeRuns(old, log, openLogWriter(await file.promise, to), (runs) =>
      progress.at(() => `${runs} of ${total} runs rewritten`),
    );
    (await file.promise).exec("pragma incremental_vacuum");
    await compareRuns(old, log, from, (runs) => progress.at(() => `${runs} of ${total} runs compared`));
  } finally {
    await old.destroy();
    await log.destroy();
  }
}

async function countRuns(old: Kysely<OldLog>): Promise<number> {
  const { runs } = await old
    .selectFrom("run_event")
    .select(({ fn }) => fn.count<number>("run_id").distinct().as("runs"))
    .executeTakeFirstOrThrow();
  return runs;
}

async function writeRuns(
  old: Kysely<OldLog>,
  log: Kysely<DB>,
  { write }: ReturnType<typeof openLogWriter>,
  onPart: (runs: number) => void,
): Promise<void> {
  const engine: Pick<Engine, "log" | "write"> = {
    log,
    write: (work, durable) => log.connection().execute(async () => write(work, durable)),
  };
  let current: string | undefined;
  let runs = 0;
  const endRun = async () => {
    if (current === undefined) return;
    await engine.write((writer) => writer.settle(), false);
    await packLog(engine, current, async () => onPart(runs)).catch((cause: unknown) => {
      // One that does not come back from packing as it is stays as it is.
      if (cause instanceof StoreError) throw cause;
    });
    onPart(++runs);
  };
  for await (const { runId, ranges } of readOldLog(old)) {
    if (runId !== current) await endRun();
    current = runId;
    await engine.write((writer) => writer.insert([{ runId, ranges }]), false);
    onPart(runs);
  }
  await endRun();
}

/** Throws where a run of the old file reads out something else in the new one, or is one of other runs. */
async function compareRuns(
  old: Kysely<OldLog>,
  log: Kysely<DB>,
  path: string,
  onPart: (runs: number) => void,
): Promise<void> {
  let current: string | undefined;
  let digest = new LogDigest();
  let runs = 0;
  const endRun = async () => {
    if (current === undefined) return;
    if ((await digestOf(log, current, () => onPart(runs))) !== digest.end())
      throw notTheSame(path, `Run ${current}`);
    digest = new LogDigest();
    runs++;
  };
  for await (const { runId, ranges } of readOldLog(old)) {
    if (runId !== current) await endRun();
    current = runId;
    for (const range of ranges) await digest.add(runId, { ...range, packed: null });
    onPart(runs);
  }
  await endRun();
  const { count } = await log
    .selectFrom("run_key")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count !== runs) throw notTheSame(path, "The number of runs");
}

const notTheSame = (path: string, what: string) =>
  new StoreError(
    "io",
    `${what} of ${path} was not copied as it is; check the disk and start again. Nothing was changed.`,
  );

async function digestOf(log: Kysely<DB>, runId: string, onPart: () => void): Promise<string> {
  const digest = new LogDigest();
  for (let after = 0; ; ) {
    const range = await log
      .selectFrom("event_range")
      .innerJoin("run_key", "run_key.run", "event_range.run")
      .select(["first", "last", "at", "data", "packed"])
      .where("run_id", "=", runId)
      .where("first", ">", after)
      .orderBy("first")
      .limit(1)
      .executeTakeFirst();
    if (!range) return digest.end();
    await digest.add(runId, range);
    onPart();
    after = range.first;
  }
}

/** A hash of all events of a run with their numbers and times, and how many there are. */
class LogDigest {
  private readonly hash = createHash("sha256");
  private count = 0;

  async add(runId: string, range: StoredRange): Promise<void> {
    const lines = await readRange(runId, range).catch(() => [damaged(range)]);
    for (const line of lines) {
      this.hash.update(`${JSON.stringify(line)}\n`);
      this.count++;
    }
  }

  end(): string {
    return `${this.count} ${this.hash.digest("hex")}`;
  }
}

/** What cannot be read is copied as it is. */
const damaged = ({ first, last, at, data }: EventRange) => ({ first, last, at, data });
