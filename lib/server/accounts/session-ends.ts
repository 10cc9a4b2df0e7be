/** Sessions and API tokens that are remembered; the one that was used longest ago gives way, and its streams are opened again. */
const maxSessions = 10_000;

interface Used {
  userId: string;
  end: AbortController;
  notedAt: number;
}

/** Tells requests that are still being answered, such as streams, when the session or API token they came with has ended. */
export class SessionEnds {
  private readonly used = new Map<string, Used>();

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

  end(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      this.used.get(id)?.end.abort();
      this.used.delete(id);
    }
  }

  /** All of a person, also what is no longer in the database. */
  endAll(userId: string): void {
    this.end([...this.used].filter(([, one]) => one.userId === userId).map(([id]) => id));
  }

  private use(sessionId: string, userId: string): Used {
    const one = this.used.get(sessionId) ?? { userId, end: new AbortController(), notedAt: 0 };
    this.used.delete(sessionId);
    this.used.set(sessionId, one);
    const [oldest] = this.used.keys();
    if (this.used.size > maxSessions && oldest !== undefined) this.end([oldest]);
    return one;
  }
}
