import type { SecretMemory } from "@/lib/mcp/types";
import type { Deps } from "./deps";
import { seal, unseal } from "./seal";

const purpose = "mcp secrets";
const key = "mcp-secrets";

type Stored = Record<string, Record<string, string>>;

/** The secrets of MCP servers: sealed in the database, and in clear only in this process. */
export class ServerSecrets implements SecretMemory {
  private queue: Promise<void> = Promise.resolve();

  private constructor(
    private readonly deps: Pick<Deps, "store" | "secrets">,
    private byServer: Map<string, ReadonlyMap<string, string>>,
  ) {}

  /** Empty when they were stored under another APP_SECRET: they are entered again then. */
  static async open(deps: Pick<Deps, "store" | "secrets" | "log">): Promise<ServerSecrets> {
    const sealed = await deps.store.settings.get<string>("system", key);
    const text = sealed && unseal(deps.secrets.appSecret, purpose, sealed);
    if (sealed && text === undefined)
      deps.log.warn("The secrets of MCP servers were stored under another APP_SECRET; enter them again.");
    const stored = text ? (JSON.parse(text) as Stored) : {};
    const maps = Object.entries(stored).map(
      ([server, values]) => [server, new Map(Object.entries(values))] as const,
    );
    return new ServerSecrets(deps, new Map(maps));
  }

  names(server: string): string[] {
    return [...(this.byServer.get(server)?.keys() ?? [])].toSorted();
  }

  get(server: string, name: string): string | undefined {
    return this.byServer.get(server)?.get(name);
  }

  /** Null deletes; what is not named stays. */
  change(server: string, changes: Record<string, string | null>): Promise<void> {
    return this.inTurn((next) => {
      const values = new Map(next.get(server));
      for (const [name, value] of Object.entries(changes))
        if (value === null) values.delete(name);
        else values.set(name, value);
      if (values.size > 0) next.set(server, values);
      else next.delete(server);
      return true;
    });
  }

  forget(server: string): Promise<void> {
    return this.inTurn((next) => next.delete(server));
  }

  /** In force once it is on the disk; `change` says whether there is anything to write. */
  private inTurn(change: (next: Map<string, ReadonlyMap<string, string>>) => boolean): Promise<void> {
    const done = this.queue.then(async () => {
      const next = new Map(this.byServer);
      if (!change(next)) return;
      const plain = Object.fromEntries(
        [...next].map(([server, values]) => [server, Object.fromEntries(values)]),
      );
      const { store, secrets } = this.deps;
      await store.settings.set("system", key, seal(secrets.appSecret, purpose, JSON.stringify(plain)));
      this.byServer = next;
    });
    this.queue = done.catch(() => {});
    return done;
  }
}
