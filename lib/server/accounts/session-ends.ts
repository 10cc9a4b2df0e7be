/** Sessions and API tokens that are remembered; the one that was used longest ago gives way, and its streams are opened again. */
const maxSessions = 10_000;

interface Used {
  userId: string;
  end: AbortController;
  notedAt: number;
}

/** A request that had been let in just before is told as well; longer ago the database says no. */
const rememberedMs = 60_000;

/** Tells requests that are still being answered, such as streams, when the session or API token they came with has ended. */
export class SessionEnds {
  private readonly used = new Map<string, Used>();
  /** Sessions that were ended within the last minute, oldest first, and when. */
  private readonly ended = new Map<string, number>();
  /** People all of whose sessions were, likewise. */
  private readonly endedPeople = new Map<string, number>();

  /** Fires when the session is ended. */
  signal(sessionId: string, userId: string): AbortSignal {
    return this.use(sessionId, userId).end.signal;
  }

  /** True, and then not again for so long, when it should be written that the session was used. */
  isToBeNoted(sessionId: string, userId: string, now: number, everyMs: number): boolean {
    const one = this.use(sessionId, userId);
    if (now - one.notedAt < everyMs) return false;
    one.notedAt = now;
    return true;
  }

  /** Those that requests have come with, by their ids. */
  known(): string[] {
    return [...this.used.keys()];
  }

  end(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      this.used.get(id)?.end.abort();
      this.used.delete(id);
      remember(this.ended, id);
    }
  }

  /** All of a person, also what is no longer in the database. */
  endAll(userId: string): void {
    remember(this.endedPeople, userId);
    this.end([...this.used].filter(([, one]) => one.userId === userId).map(([id]) => id));
  }

  /** Ends what is being answered to a person, whose sessions go on. */
  cut(userId: string): void {
    for (const [id, one] of this.used)
      if (one.userId === userId) {
        one.end.abort();
        this.used.delete(id);
      }
  }

  /** Whether all of a person were ended after this time, by `performance.now()`: one that was being made meanwhile must not stay. */
  hasEndedAllSince(userId: string, since: number): boolean {
    return (this.endedPeople.get(userId) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  private use(sessionId: string, userId: string): Used {
    const one = this.used.get(sessionId) ?? { userId, end: new AbortController(), notedAt: 0 };
    if (this.ended.has(sessionId)) {
      one.end.abort();
      return one;
    }
    this.used.delete(sessionId);
    this.used.set(sessionId, one);
    const [oldest] = this.used.keys();
    if (this.used.size > maxSessions && oldest !== undefined) {
      this.used.get(oldest)?.end.abort();
      this.used.delete(oldest);
    }
    return one;
  }
}

function remember(times: Map<string, number>, id: string): void {
  const now = performance.now();
  times.delete(id);
  times.set(id, now);
  for (const [old, at] of times)
    if (times.size > maxSessions || at < now - rememberedMs) times.delete(old);
    else break;
}
