import type { SecretMemory } from "@/lib/mcp/config/expand-variables";
import type { BaseDeps } from "@/lib/server/base-deps";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";

const key = "mcp-server-secrets";

/** By server and name; each sealed by itself. */
type Stored = Record<string, Record<string, string>>;

export const sealedServerSecrets: SealedSetting = {
  fits: (setting) => setting === key,
  reseal: (value, again) =>
    Object.fromEntries(
      mapValues(Object.entries(value as Stored), (values, server) =>
        Object.fromEntries(
          mapValues(Object.entries(values), (sealed, name) => again(purposeOf(server, name), sealed)),
        ),
      ),
    ),
};

/** In clear; undefined where it was stored under another APP_SECRET: it stays as it is until it is entered again. */
type ByServer = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;

/** The secrets of MCP servers: sealed in the database, and in clear only in this process. */
export class ServerSecrets implements SecretMemory {
  private constructor(
    private readonly deps: Pick<BaseDeps, "store" | "secrets">,
    private byServer: ByServer,
  ) {}

  /** Those that were stored under another APP_SECRET count as not stored, and are there again with that one. */
  static async open(deps: Pick<BaseDeps, "store" | "secrets" | "log">): Promise<ServerSecrets> {
    const byServer = unsealed(deps, (await deps.store.settings.get<Stored>("system", key)) ?? {});
    const unread = [...byServer.values()].flatMap((values) => [...values.values()]).filter(isUnread).length;
    if (unread > 0)
      deps.log.warn(
        `${unread} secrets of MCP servers were stored under another APP_SECRET; start with that one, or enter them again.`,
      );
    return new ServerSecrets(deps, byServer);
  }

  names(server: string): string[] {
    const values = [...(this.byServer.get(server) ?? [])];
    return values.flatMap(([name, value]) => (isUnread(value) ? [] : [name])).toSorted();
  }

  get(server: string, name: string): string | undefined {
    return this.byServer.get(server)?.get(name);
  }

  /** Null deletes; what is not named stays. */
  change(server: string, changes: Record<string, string | null>): Promise<void> {
    return this.update((stored) => {
      const values = new Map(Object.entries(stored.get(server) ?? {}));
      for (const [name, value] of Object.entries(changes))
        if (value === null) values.delete(name);
        else values.set(name, seal(this.deps.secrets.appSecret, purposeOf(server, name), value));
      if (values.size > 0) stored.set(server, Object.fromEntries(values));
      else stored.delete(server);
      return true;
    });
  }

  forget(server: string): Promise<void> {
    return this.update((stored) => stored.delete(server));
  }

  /** In force once it is on the disk; `change` says whether there is anything to write. */
  private async update(change: (stored: Map<string, Stored[string]>) => boolean): Promise<void> {
    const { store } = this.deps;
    const next = await store.settings.update("system", key, (stored: Stored | undefined) => {
      const byServer = new Map(Object.entries(stored ?? {}));
      return change(byServer) ? Object.fromEntries(byServer) : undefined;
    });
    if (next) this.byServer = unsealed(this.deps, next);
  }
}

const unsealed = ({ secrets }: Pick<BaseDeps, "secrets">, stored: Stored): ByServer =>
  mapValues(Object.entries(stored), (values, server) =>
    mapValues(Object.entries(values), (sealed, name) =>
      unseal(secrets.appSecret, purposeOf(server, name), sealed),
    ),
  );

/** One that is moved to another server or name in the database cannot be opened there. */
const purposeOf = (server: string, name: string): string => `mcp secrets ${JSON.stringify([server, name])}`;

const isUnread = (value: string | undefined): boolean => value === undefined;

const mapValues = <From, To>(entries: Iterable<[string, From]>, change: (value: From, name: string) => To) =>
  new Map(Array.from(entries, ([name, value]) => [name, change(value, name)] as const));
