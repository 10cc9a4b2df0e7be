import type { Entries } from "@/lib/mcp/entries/entries";
import { isForRole } from "@/lib/mcp/servers/is-for-role";
import type { PeopleMemory } from "./mcp-pool";

/**
 * The names of servers that people have added for themselves and that mean the operator's, as long as they have that one. When a
 * name comes to mean the other server, what the person has kept under it, as rules for its tools, is not for that one.
 */
export class TakenNames {
  /** Undefined before the file was first read. */
  private taken: ReadonlyMap<string, readonly [person: string, name: string]> | undefined;

  constructor(
    private readonly entries: Pick<Entries, "servers" | "isApproved">,
    private readonly people: Pick<PeopleMemory, "owners" | "servers" | "role" | "forgetOf">,
  ) {}

  /** To be called after a person has changed their own, or is gone. */
  look(): void {
    this.taken = this.find();
  }

  /** To be called after the file or a role has changed; resolves when what was kept is forgotten. */
  async settle(): Promise<void> {
    const [before, now] = [this.taken, this.find()];
    this.taken = now;
    if (!before) return;
    const changed = [
      ...[...before].filter(([key]) => !now.has(key)),
      ...[...now].filter(([key]) => !before.has(key)),
    ];
    await Promise.all(changed.map(([, [person, name]]) => this.people.forgetOf(person, name)));
  }

  private find() {
    const taken = new Map<string, readonly [string, string]>();
    for (const person of this.people.owners())
      for (const name of this.people.servers(person).keys()) {
        const config = this.entries.servers.get(name);
        if (
          config &&
          isForRole(this.people.role(person), config, () => this.entries.isApproved(name, config))
        )
          taken.set(JSON.stringify([person, name]), [person, name]);
      }
    return taken;
  }
}
