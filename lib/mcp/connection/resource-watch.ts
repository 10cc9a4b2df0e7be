import type { Client } from "@modelcontextprotocol/client";
import type { LogRing } from "@/lib/mcp/transport/log-ring";

/** Watched resources of one connection. */
const maxWatched = 200;

interface Subscription {
  end(): void;
  /** Resolves when updates stop although nobody ended the subscription: streams end before their connections do. */
  broken: Promise<unknown>;
}

/** The resources of one connection that are watched; each is subscribed to once. */
export class ResourceWatch {
  private readonly watched = new Map<string, { listeners: Set<() => void>; begun: Promise<Subscription> }>();

  constructor(
    private readonly client: Client,
    private readonly log: LogRing,
  ) {
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      for (const listener of this.watched.get(params.uri)?.listeners ?? []) listener();
    });
  }

  get isIdle(): boolean {
    return this.watched.size === 0;
  }

  /** Whether the server tells of changes of a resource. */
  get isPossible(): boolean {
    return this.client.getServerCapabilities()?.resources?.subscribe === true;
  }

  /**
   * Calls the listener with each change until `stop` is called; `broken` resolves when the server stops telling of
   * changes.
   */
  async watch(uri: string, listener: () => void): Promise<{ stop(): void; broken: Subscription["broken"] }> {
    if (this.watched.size >= maxWatched) throw new Error("Too many resources of this server are watched.");
    const known = this.watched.get(uri);
    const entry = known ?? { listeners: new Set<() => void>(), begun: this.subscribe(uri) };
    this.watched.set(uri, entry);
    entry.listeners.add(listener);
    const stop = () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size > 0 || this.watched.get(uri) !== entry) return;
      this.watched.delete(uri);
      void entry.begun.then(({ end }) => end()).catch(() => {}); // refused at the start
    };
    try {
      return { stop, broken: (await entry.begun).broken };
    } catch (cause) {
      stop();
      throw cause;
    }
  }

  private async subscribe(uri: string): Promise<Subscription> {
    const failed = (cause: unknown) => this.log.add("host", `Ending a subscription failed: ${cause}`);
    if (this.client.getProtocolEra() === "modern") {
      const subscription = await this.client.listen({ resourceSubscriptions: [uri] });
      return { end: () => void subscription.close().catch(failed), broken: subscription.closed };
    }
    await this.client.subscribeResource({ uri });
    return {
      end: () => void this.client.unsubscribeResource({ uri }).catch(failed),
      broken: new Promise(() => {}), // lasts as long as the connection
    };
  }
}
