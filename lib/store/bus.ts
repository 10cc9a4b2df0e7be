/** `run`: its log has grown, or with the body `end` its record says that it has ended. `instance`: a process is asked for something. */
export type Topic = `run:${string}` | `instance:${string}`;

/**
 * Hints between the processes on one database: that there is something to look at, never what it is. One may be lost, or
 * come twice; nobody waits for one to be sent.
 */
export interface Bus {
  /** Tells those who listen here at once, and other processes soon; `body` is an id or a word. */
  publish(topic: Topic, body?: string): void;
  /** Gives how to end it. The listener must not throw. */
  subscribe(topic: Topic, listener: Listener): () => void;
}

type Listener = (body: string) => void;

/** Of a process that has its database for itself. */
export class LocalBus implements Bus {
  private readonly listeners = new Map<string, Set<Listener>>();

  publish(topic: string, body = ""): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(body);
  }

  subscribe(topic: string, listener: Listener): () => void {
    const known = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.listeners.get(topic) === known) this.listeners.delete(topic);
    };
  }
}
