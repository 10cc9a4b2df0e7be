import type { SecretMemory } from "@/lib/mcp/config/expand-variables";
import type { Deps } from "@/lib/server/deps";
import { seal, unseal } from "@/lib/server/seal";

const key = "mcp-server-secrets";

/** By server and name; each sealed by itself. */
type Stored = Record<string, Record<string, string>>;

interface Kept {
  sealed: string;
  /** Undefined where it was stored under another APP_SECRET: it stays as it is until it is entered anew. */
  value: string | undefined;
}

type KeptOf = ReadonlyMap<string, Kept>;

/** The secrets of MCP servers: sealed in the database, and in clear only in this process. */
export class ServerSecrets implements SecretMemory {
  private queue: Promise<void> = Promise.resolve();

  private constructor(
    private readonly deps: Pick<Deps, "store" | "secrets">,
    private byServer: ReadonlyMap<string, KeptOf>,
  ) {}

  /** Those that were stored under another APP_SECRET count as not stored, and are there again with that one. */
  static async open(deps: Pick<Deps, "store" | "secrets" | "log">): Promise<ServerSecrets> {
    const stored = (await deps.store.settings.get<Stored>("system", key)) ?? {};
    const byServer = mapValues(Object.entries(stored), (values, server) =>
      mapValues(Object.entries(values), (sealed, name) => ({
        ...{ sealed, value: unseal(deps.secrets.appSecret, purposeOf(server, name), sealed) },
      })),
    );
    const unread = [...byServer.values()].flatMap((kept) => [...kept.values()]).filter(isUnread).length;
    if (unread > 0)
      deps.log.warn(
        `${unread} secrets of MCP servers were stored under another APP_SECRET; start with that one, or enter them again.`,
      );
    return new ServerSecrets(deps, byServer);
  }

  names(server: string): string[] {
    const kept = [...(this.byServer.get(server) ?? [])];
    return kept.flatMap(([name, one]) => (isUnread(one) ? [] : [name])).toSorted();
  }

  get(server: string, name: string): string | undefined {
    return this.byServer.get(server)?.get(name)?.value;
  }

  /** Null deletes; what is not named stays. */
  change(server: string, changes: Record<string, string | null>): Promise<void> {
    return this.inTurn((next) => {
      const values = new Map(next.get(server));
      for (const [name, value] of Object.entries(changes))
        if (value === null) values.delete(name);
        else values.set(name, { sealed: this.seal(server, name, value), value });
      if (values.size > 0) next.set(server, values);
      else next.delete(server);
      return true;
    });
  }

  forget(server: string): Promise<void> {
    return this.inTurn((next) => next.delete(server));
  }

  private seal(server: string, name: string, value: string): string {
    return seal(this.deps.secrets.appSecret, purposeOf(server, name), value);
  }

  /** In force once it is on the disk; `change` says whether there is anything to write. */
  private inTurn(change: (next: Map<string, KeptOf>) => boolean): Promise<void> {
    const done = this.queue.then(async () => {
      const next = new Map(this.byServer);
      if (!change(next)) return;
      const sealed = mapValues(next, (kept) => Object.fromEntries(mapValues(kept, (one) => one.sealed)));
      await this.deps.store.settings.set("system", key, Object.fromEntries(sealed));
      this.byServer = next;
    });
    this.queue = done.catch(() => {});
    return done;
  }
}

/** One that is moved to another server or name in the database cannot be opened there. */
const purposeOf = (server: string, name: string): string => `mcp secrets ${JSON.stringify([server, name])}`;

const isUnread = ({ value }: Kept): boolean => value === undefined;

const mapValues = <From, To>(entries: Iterable<[string, From]>, change: (value: From, name: string) => To) =>
  new Map(Array.from(entries, ([name, value]) => [name, change(value, name)] as const));
