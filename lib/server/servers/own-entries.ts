import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { BaseDeps } from "@/lib/server/base-deps";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";

export const ownEntriesKey = "mcp-own-servers";

/** The entry of each server by name, sealed by itself: its headers may hold a secret. */
type Stored = Record<string, string>;
type Entries = ReadonlyMap<string, McpServerConfig>;
const none: Entries = new Map();

export const sealedOwnServers: SealedSetting = {
  fits: (setting) => setting === ownEntriesKey,
  reseal: (value, again, { owner }) =>
    Object.fromEntries(
      Object.entries(value as Stored).map(([name, sealed]) => [name, again(purposeOf(owner, name), sealed)]),
    ),
};

type EntryDeps = Pick<BaseDeps, "store" | "secrets">;

/** The servers that people have added for themselves. */
export class OwnEntries {
  /** Of our own, how many there were. */
  private changes = 0;

  private constructor(
    private readonly deps: EntryDeps,
    private readonly byPerson: Map<string, Entries>,
  ) {}

  static async open(deps: EntryDeps): Promise<OwnEntries> {
    const byPerson = new Map<string, Entries>();
    for (const owner of await deps.store.settings.owners(ownEntriesKey))
      byPerson.set(
        owner,
        unsealed(deps, owner, (await deps.store.settings.get<Stored>(owner, ownEntriesKey)) ?? {}),
      );
    return new OwnEntries(deps, byPerson);
  }

  of(person: string): Entries {
    return this.byPerson.get(person) ?? none;
  }

  owners(): Iterable<string> {
    return this.byPerson.keys();
  }

  /** In force once it is on the disk; what `change` throws leaves all as it is. Entries of another APP_SECRET stay as they are. */
  async change(person: string, change: (entries: Map<string, McpServerConfig>) => void): Promise<void> {
    const next = await this.deps.store.settings.update(person, ownEntriesKey, (stored: Stored = {}) => {
      const before = unsealed(this.deps, person, stored);
      const entries = new Map(before);
      change(entries);
      const unread = Object.entries(stored).filter(([name]) => !before.has(name));
      const sealed = [...entries].map(([name, entry]) => [
        name,
        seal(this.deps.secrets.appSecret, purposeOf(person, name), JSON.stringify(entry)),
      ]);
      return Object.fromEntries([...unread, ...sealed]);
    });
    this.changes++;
    this.byPerson.set(person, unsealed(this.deps, person, next ?? {}));
  }

  /** Takes up what another instance has stored of this person. */
  async reload(person: string): Promise<void> {
    for (;;) {
      const { changes } = this;
      const stored = await this.deps.store.settings.get<Stored>(person, ownEntriesKey);
      // Read before a change of our own that is in force by now.
      if (changes !== this.changes) continue;
      if (stored) this.byPerson.set(person, unsealed(this.deps, person, stored));
      else this.byPerson.delete(person);
      return;
    }
  }

  /** All who have some, or have had some here. */
  async people(): Promise<Set<string>> {
    return new Set([...(await this.deps.store.settings.owners(ownEntriesKey)), ...this.byPerson.keys()]);
  }

  /** Those of somebody who is gone; what is stored of them is not touched. */
  drop(person: string): void {
    this.byPerson.delete(person);
  }
}

function unsealed({ secrets }: EntryDeps, owner: string, stored: Stored): Entries {
  const entries = new Map<string, McpServerConfig>();
  for (const [name, sealed] of Object.entries(stored)) {
    const text = unseal(secrets.appSecret, purposeOf(owner, name), sealed);
    if (text !== undefined) entries.set(name, JSON.parse(text));
  }
  return entries;
}

/** One that is moved to another person or name in the database cannot be opened there. */
const purposeOf = (owner: string, name: string): string => `mcp own servers ${JSON.stringify([owner, name])}`;
