import { isDeepStrictEqual } from "node:util";
import type { SecretMemory } from "@/lib/mcp/config/expand-variables";
import type { BaseDeps } from "@/lib/server/base-deps";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";

export const secretsKey = "mcp-server-secrets";

/** By server, of a person with its place, and name; each sealed by itself. */
type Stored = Record<string, Record<string, string>>;

export const sealedServerSecrets: SealedSetting = {
  fits: (setting) => setting === secretsKey,
  reseal: (value, again, { owner }) =>
    Object.fromEntries(
      mapValues(Object.entries(value as Stored), (values, server) =>
        Object.fromEntries(
          mapValues(Object.entries(values), (sealed, name) => again(purposeOf(owner, server, name), sealed)),
        ),
      ),
    ),
};

/** In clear; undefined where it was stored under another APP_SECRET: it stays as it is until it is entered again. */
type ByServer = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;

/** Whose those are that hold for everybody. */
const everybody = "system";

/** The secrets of MCP servers of one owner: sealed in the database, and in clear only in this process. */
export class ServerSecrets implements SecretMemory {
  /** Of our own, how many there were. */
  private changes = 0;

  constructor(
    private readonly deps: Pick<BaseDeps, "store" | "secrets">,
    private readonly owner: string,
    private byServer: ByServer,
  ) {}

  /** Those that were stored under another APP_SECRET count as not stored, and are there again with that one. */
  static async open(
    deps: Pick<BaseDeps, "store" | "secrets" | "log">,
    owner = everybody,
  ): Promise<ServerSecrets> {
    const byServer = unsealed(deps, owner, (await deps.store.settings.get<Stored>(owner, secretsKey)) ?? {});
    const unread = [...byServer.values()].flatMap((values) => [...values.values()]).filter(isUnread).length;
    if (unread > 0)
      deps.log.warn(
        `${unread} secrets of MCP servers were stored under another APP_SECRET; start with that one, or enter them again.`,
      );
    return new ServerSecrets(deps, owner, byServer);
  }

  /** Takes up what another instance has stored. Gives the servers of which something is another one. */
  async reload(): Promise<string[]> {
    for (;;) {
      const { changes } = this;
      const stored = (await this.deps.store.settings.get<Stored>(this.owner, secretsKey)) ?? {};
      // Read before a change of our own that is in force by now.
      if (changes !== this.changes) continue;
      const before = this.byServer;
      this.byServer = unsealed(this.deps, this.owner, stored);
      const keys = new Set([...before.keys(), ...this.byServer.keys()]);
      const changed = [...keys].filter((key) => !isDeepStrictEqual(before.get(key), this.byServer.get(key)));
      return [...new Set(changed.map(serverOf))];
    }
  }

  names(server: string, place?: string): string[] {
    const values = [...(this.byServer.get(keyOf(server, place)) ?? [])];
    return values.flatMap(([name, value]) => (isUnread(value) ? [] : [name])).toSorted();
  }

  get(server: string, name: string, place?: string): string | undefined {
    return this.byServer.get(keyOf(server, place))?.get(name);
  }

  /** Null deletes; what is not named stays. What was entered for another place of the server goes. */
  change(server: string, changes: Record<string, string | null>, place?: string): Promise<void> {
    const key = keyOf(server, place);
    return this.update((stored) => {
      const values = new Map(Object.entries(stored.get(key) ?? {}));
      for (const [name, value] of Object.entries(changes))
        if (value === null) values.delete(name);
        else values.set(name, seal(this.deps.secrets.appSecret, purposeOf(this.owner, key, name), value));
      this.deleteOf(server, stored);
      if (values.size > 0) stored.set(key, Object.fromEntries(values));
      return true;
    });
  }

  forget(server: string): Promise<void> {
    return this.update((stored) => this.deleteOf(server, stored));
  }

  /** Whether there was anything. */
  private deleteOf(server: string, stored: Map<string, Stored[string]>): boolean {
    const isOf = (key: string) =>
      key === server || (this.owner !== everybody && key.startsWith(keyOf(server, "").slice(0, -2)));
    const keys = [...stored.keys()].filter(isOf);
    for (const key of keys) stored.delete(key);
    return keys.length > 0;
  }

  /** In force once it is on the disk; `change` says whether there is anything to write. */
  private async update(change: (stored: Map<string, Stored[string]>) => boolean): Promise<void> {
    const { store } = this.deps;
    const next = await store.settings.update(this.owner, secretsKey, (stored: Stored | undefined) => {
      const byServer = new Map(Object.entries(stored ?? {}));
      return change(byServer) ? Object.fromEntries(byServer) : undefined;
    });
    if (!next) return;
    this.changes++;
    this.byServer = unsealed(this.deps, this.owner, next);
  }
}

/** What each person has entered for themselves. */
export class PeopleSecrets {
  private constructor(
    private readonly deps: Pick<BaseDeps, "store" | "secrets">,
    private readonly byPerson: Map<string, ServerSecrets>,
  ) {}

  static async open(deps: Pick<BaseDeps, "store" | "secrets" | "log">): Promise<PeopleSecrets> {
    const people = (await deps.store.settings.owners(secretsKey)).filter((owner) => owner !== everybody);
    const byPerson = new Map<string, ServerSecrets>();
    for (const person of people) byPerson.set(person, await ServerSecrets.open(deps, person));
    return new PeopleSecrets(deps, byPerson);
  }

  of(person: string): ServerSecrets {
    const known = this.byPerson.get(person) ?? new ServerSecrets(this.deps, person, new Map());
    this.byPerson.set(person, known);
    return known;
  }

  /** All who have some, or have had some here. */
  async people(): Promise<Set<string>> {
    const owners = (await this.deps.store.settings.owners(secretsKey)).filter((owner) => owner !== everybody);
    return new Set([...owners, ...this.byPerson.keys()]);
  }

  /** Those of somebody who is gone; what is stored of them is not touched. */
  drop(person: string): void {
    this.byPerson.delete(person);
  }

  async forget(server: string): Promise<void> {
    for (const secrets of this.byPerson.values()) await secrets.forget(server);
  }
}

const unsealed = ({ secrets }: Pick<BaseDeps, "secrets">, owner: string, stored: Stored): ByServer =>
  mapValues(Object.entries(stored), (values, server) =>
    mapValues(Object.entries(values), (sealed, name) =>
      unseal(secrets.appSecret, purposeOf(owner, server, name), sealed),
    ),
  );

/** With the place, a value is sealed for it as well. */
const keyOf = (server: string, place: string | undefined): string =>
  place === undefined ? server : JSON.stringify([server, place]);

const serverOf = (key: string): string => (key.startsWith("[") ? String(JSON.parse(key)[0]) : key);

/** One that is moved to another owner, server or name in the database cannot be opened there. */
const purposeOf = (owner: string, server: string, name: string): string =>
  `mcp secrets ${JSON.stringify([...(owner === everybody ? [] : [owner]), server, name])}`;

const isUnread = (value: string | undefined): boolean => value === undefined;

const mapValues = <From, To>(entries: Iterable<[string, From]>, change: (value: From, name: string) => To) =>
  new Map(Array.from(entries, ([name, value]) => [name, change(value, name)] as const));
