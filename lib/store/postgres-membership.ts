import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Client } from "pg";
import { newestVersion } from "@/lib/store/migrations/migrate";
import {
  neededVersion,
  newerVersion,
  type SchemaState,
  schemaQuery,
} from "@/lib/store/migrations/schema-version";
import { DatabaseInUseError, type StoreError } from "./errors";
import {
  beatMs,
  createTable,
  deleteGone,
  endSessions,
  findOther,
  leaseMs,
  membersLock,
} from "./postgres-instances";
import { databaseName } from "./postgres-migrate";
import { newInstanceId, openSession } from "./postgres-session";
import type { DB } from "./schema";

/** The lease ends here before it ends for the others. */
const marginMs = 1_000;
/** Who has held its lease so long may judge others: after the server was away everybody gets the time to come back. */
const unbrokenMs = 6_000;
/** A line that has gone silent must not keep an instance from trying another. */
const answerMs = 2_000;

/** A channel of the database. */
const joined = "meguri_joined";

/** The version of this program. */
const known = newestVersion();

/**
 * This process among those on one database: a row whose lease it prolongs each second over a session of its own. Once another
 * has found the lease over and deleted the row, this process is told (`onLost`) and joins again under another id.
 */
export class Membership {
  /** Also the name of its sessions, for administrators and for those who end them. */
  id = newInstanceId();
  /** Whether others work on the database, as of the last beat; who joins is told of at once. */
  hasOthers = true;
  /** How many beats had no answer. */
  faults = 0;
  private client: Client | undefined;
  /** When the last beat that came through was sent, by both clocks: each may stand still while a machine sleeps. */
  private held: { at: number; wall: number; since: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  private isMember = false;
  private isWatching = false;
  /** Why it is kept from joining again, as it was told. */
  private refusal: string | undefined;
  private isClosed = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly url: string,
    /** Refuses to join as long as another one is there. */
    private readonly isAlone: boolean,
  ) {}

  /** At the start. Throws StoreError, and with `isAlone` DatabaseInUseError. */
  async join(): Promise<void> {
    const until = performance.now() + leaseMs + beatMs;
    await createTable(await this.open());
    // One that was killed is there until its server has noticed, and a little longer.
    for (let holder = await this.insert(); holder !== undefined; holder = await this.insert()) {
      if (performance.now() > until) throw new DatabaseInUseError(holder);
      await sleep(50);
    }
    this.beatLater();
  }

  /**
   * The tables are there. Should they become those of a version that this one cannot go on with, it leaves, and does not come
   * back: then it has no session that could write to them.
   */
  watchVersion(): void {
    this.isWatching = true;
  }

  /** Whether others still leave the runs of this process to it. */
  holds(): boolean {
    return this.remainingMs() > 0;
  }

  /** For how long they do at least. */
  remainingMs(): number {
    const { held } = this;
    if (!held) return 0;
    const passed = Math.max(performance.now() - held.at, Date.now() - held.wall);
    return Math.max(0, leaseMs - marginMs - passed);
  }

  /** Called at once when `id` has become another one: what runs under the former id belongs to somebody else. */
  onLost(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Of these instances, those that are gone and can write nothing any more: their rows are deleted, and then whatever
   * session they have is ended.
   */
  async ended(db: Kysely<DB>, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0 || !this.holds()) return [];
    // After the server was away everybody gets the time to come back.
    if (performance.now() - (this.held?.since ?? 0) >= unbrokenMs) await deleteGone(db, this.id);
    return endSessions(db, this.id, ids);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.beating;
    const { client } = this;
    await client?.query("delete from instance where id = $1", [this.id]).catch(() => {});
    await client?.end().catch(() => {});
  }

  private beatLater(ms = beatMs): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.beating = this.beat().then(() => this.beatLater());
    }, ms).unref();
  }

  /** Somebody has joined. */
  private beatNow(): void {
    if (this.isMember) void this.beating.then(() => this.beatLater(0));
  }

  private async beat(): Promise<void> {
    const [at, wall] = [performance.now(), Date.now()];
    try {
      if (!this.isMember) await this.insert();
      else if (await this.prolong()) this.note(at, wall);
      else {
        const { id: before } = this;
        const client = await this.open();
        const refusal = await this.findRefusal(client);
        this.lose(refusal);
        // Others take over at once what ends here.
        if (refusal) await client.query("delete from instance where id = $1", [before]);
        await this.insert();
      }
    } catch {
      this.faults++;
      // The next beat tries it over another session.
      const { client } = this;
      this.client = undefined;
      client?.end().catch(() => {});
    }
  }

  /** False when its row is gone, or the tables are for newer programs alone. */
  private async prolong(): Promise<boolean> {
    const client = await this.open();
    const isUsable = this.isWatching ? `${neededVersion} <= ${known}` : "true";
    const { rows } = await client.query(
      `update instance set lease_until = clock_timestamp() + interval '${leaseMs} ms' where id = $1 and ${isUsable}
      returning exists (select from instance where id <> $1) as "hasOthers"`,
      [this.id],
    );
    this.hasOthers = rows[0]?.hasOthers ?? true;
    return rows.length === 1;
  }

  private note(at: number, wall: number): void {
    const since = this.holds() ? (this.held?.since ?? at) : at;
    this.held = { at, wall, since };
  }

  private lose(refusal: StoreError | undefined): void {
    const before = this.id;
    this.id = newInstanceId();
    this.isMember = false;
    this.held = undefined;
    for (const listener of this.listeners) listener();
    if (refusal) this.tellRefusal(refusal);
    else
      process.emitWarning(
        `The database has not heard of ${before} for too long, so others take over what it was doing; it goes on as ${this.id}.`,
      );
  }

  /** Once, although each beat finds it again. */
  private tellRefusal({ message }: StoreError): void {
    if (this.refusal === message) return;
    this.refusal = message;
    process.emitWarning(`${message} Until then this process does nothing more.`);
  }

  private async findRefusal(client: Client): Promise<StoreError | undefined> {
    if (!this.isWatching) return undefined;
    const { rows } = await client.query<SchemaState>(schemaQuery);
    const { version: found = 0, compatibleFrom: needed = 0 } = rows[0] ?? {};
    return needed > known
      ? newerVersion(databaseName, { found, needed, known, dialect: "postgres" })
      : undefined;
  }

  private async open(): Promise<Client> {
    if (this.client) return this.client;
    const client = await openSession(this.url, {
      query_timeout: answerMs,
      onGone: () => {
        this.client = undefined;
      },
    });
    this.client = client;
    client.on("notification", () => this.beatNow());
    await client.query(`listen ${joined}`);
    return client;
  }

  /** Gives, with `isAlone`, who keeps it from joining. */
  private async insert(): Promise<string | undefined> {
    const [at, wall] = [performance.now(), Date.now()];
    const client = await this.open();
    await client.query(`begin; select pg_advisory_xact_lock(${membersLock})`);
    const refusal = await this.findRefusal(client);
    const holder = this.isAlone ? await findOther(client, this.id) : undefined;
    if (holder === undefined && !refusal) {
      const { rows } = await client.query(
        `insert into instance (id, lease_until, version) values ($1, clock_timestamp() + interval '${leaseMs} ms', ${known})
        returning exists (select from instance where id <> $1) as "hasOthers"`,
        [this.id],
      );
      this.hasOthers = rows[0]?.hasOthers ?? true;
      if (this.hasOthers) await client.query(`notify ${joined}`);
    }
    await client.query("commit");
    if (refusal) this.tellRefusal(refusal);
    if (refusal || holder !== undefined) return holder;
    this.refusal = undefined;
    await client.query(`set application_name = '${this.id}'`);
    this.isMember = true;
    this.note(at, wall);
    return undefined;
  }
}
