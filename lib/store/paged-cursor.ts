import type { PostgresCursor } from "kysely";
import type { PoolClient } from "pg";
import Cursor from "pg-cursor";
import { toParameter } from "./parameter";
import { toStoreError } from "./postgres-fault";

/** Rows that are read at first and at most: who wants few gets few, and who wants all asks seldom. */
const [firstRows, mostRows] = [8, 256];

export interface CursorSession {
  get(): Promise<PoolClient>;
  /** Rejects where no answer comes. */
  heard<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** It cannot be used any more. */
  noteBroken(): void;
  broken: { promise: Promise<void> };
}

/** Reads more rows at once than it is asked for. */
export class PagedCursor<Row> implements PostgresCursor<Row> {
  private session: CursorSession | undefined;
  private cursor: Promise<Cursor<Row>> | undefined;
  private rows = firstRows;

  constructor(
    private readonly sql: string,
    private readonly values: unknown[],
  ) {}

  on(session: CursorSession): this {
    this.session = session;
    return this;
  }

  async read(): Promise<Row[]> {
    const { session, rows } = this;
    if (!session) throw new Error("A cursor belongs to a session.");
    this.cursor ??= this.open(session);
    this.rows = Math.min(mostRows, 2 * rows);
    try {
      return await session.heard((await this.cursor).read(rows));
    } catch (cause) {
      session.noteBroken();
      throw toStoreError(cause);
    }
  }

  async close(): Promise<void> {
    const cursor = await this.cursor?.catch(() => undefined);
    const { session } = this;
    if (!cursor || !session) return;
    // It waits for a word of the server, which never comes where the connection is gone.
    const closed = session.heard(cursor.close()).catch(session.noteBroken);
    await Promise.race([closed, session.broken.promise]);
  }

  private async open(session: CursorSession): Promise<Cursor<Row>> {
    const client = await session.get();
    return client.query(new Cursor<Row>(this.sql, this.values.map(toParameter)));
  }
}
