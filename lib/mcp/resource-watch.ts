import type { Client } from "@modelcontextprotocol/client";
import type { LogRing } from "./log-ring";

/** Of one connection. */
const maxWatched = 200;

/** The resources of one connection that somebody looks at; the server is asked once for each. */
export class ResourceWatch {
  private readonly watched = new Map<string, { listeners: Set<() => void>; end: Promise<() => void> }>();

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

  /** Calls the listener with each change until what it resolves with is called. */
  async watch(uri: string, listener: () => void): Promise<() => void> {
    if (this.watched.size >= maxWatched) throw new Error("Too many resources of this server are watched.");
    const known = this.watched.get(uri);
    const entry = known ?? { listeners: new Set<() => void>(), end: this.subscribe(uri) };
    this.watched.set(uri, entry);
    entry.listeners.add(listener);
    const stop = () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size > 0 || this.watched.get(uri) !== entry) return;
      this.watched.delete(uri);
      void entry.end.then((end) => end()).catch(() => {}); // refused at the start
    };
    await entry.end.catch((cause) => {
      stop();
      throw cause;
    });
    return stop;
  }

  private async subscribe(uri: string): Promise<() => void> {
    const failed = (cause: unknown) => this.log.add("host", `Ending a subscription failed: ${cause}`);
    if (this.client.getProtocolEra() === "modern") {
      const subscription = await this.client.listen({ resourceSubscriptions: [uri] });
      return () => void subscription.close().catch(failed);
    }
    await this.client.subscribeResource({ uri });
    return () => void this.client.unsubscribeResource({ uri }).catch(failed);
  }
}
