import type { Hint } from "@/lib/protocol/hints";

/**
 * `run`: its log has grown, or with the body `end` its record says that it has ended. `instance`: a process is asked for something.
 * `user`: what the body (`Hint`) names of this person has changed, any of it without a body; `everybody`: of all people.
 * `attempts`: somebody tries to sign in; `sign-ins`: one that was begun at an identity provider has been taken.
 * `session`: an MCP client has `found` tools that it is offered from now on, or other resources are `watched` for it.
 */
export type Topic =
  | `run:${string}`
  | `session:${string}`
  | `instance:${string}`
  | `user:${string}`
  | "everybody"
  | "attempts"
  | "sign-ins";

/** Of whom it is. To be called after the commit. */
export type TellOwner = (userId: string) => void;

/** Says that something which is shown of a person has changed. */
export const tellOwner = (bus: Pick<Bus, "publish">, userId: string, hint: Hint): void =>
  bus.publish(`user:${userId}`, hint);

/**
 * What another process has changed of what processes keep in memory. `session`: of a person or of an API token, which is over;
 * `usage`: what a person has used today; `servers`: documents and approvals of MCP servers; `everything`: any of it, as when nothing could be heard for a while.
 */
export type Change =
  | { kind: "setting"; owner: string; key: string }
  | { kind: "person" | "session" | "usage"; id: string }
  | { kind: "servers" | "everything" };

/**
 * Hints between the processes on one database: that there is something to look at, never what it is. One may be lost, or
 * come twice; nobody waits for one to be sent.
 */
export interface Bus {
  /** Whether hints go the way that they are meant to; they may arrive all the same. */
  readonly isUp: boolean;
  /** Tells those who listen here at once, and other processes soon; `body` is an id or a word. */
  publish(topic: Topic, body?: string): void;
  /** Gives how to end it. The listener must not throw. */
  subscribe(topic: Topic, listener: Listener): () => void;
  /**
   * What this process reads in the listener, and later, was read after the change. Of each change it is told, within a second
   * or two even where its line to the database broke. Gives how to end it; the listener must not throw.
   */
  onChange(listener: (change: Change) => void): () => void;
}

type Listener = (body: string) => void;

/** Of a process that has its database for itself. */
export class LocalBus implements Bus {
  readonly isUp = true;
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

  /** There is no other process. */
  onChange(): () => void {
    return () => {};
  }
}
