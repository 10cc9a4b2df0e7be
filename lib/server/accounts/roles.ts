import type { Role } from "@/lib/protocol/accounts";
import type { BaseDeps } from "@/lib/server/base-deps";

/** At once from the database. */
const pageSize = 100;

/** What each person may do, at hand: which MCP servers somebody has is asked with every tool of a run. */
export class Roles {
  private readonly byPerson = new Map<string, Role>();

  static async open({ store }: Pick<BaseDeps, "store">): Promise<Roles> {
    const roles = new Roles();
    let cursor: string | null = null;
    do {
      const page = await store.accounts.people({ limit: pageSize, ...(cursor && { cursor }) });
      for (const { id, role } of page.items) roles.set(id, role);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return roles;
  }

  known(): string[] {
    return [...this.byPerson.keys()];
  }

  of(person: string): Role | undefined {
    return this.byPerson.get(person);
  }

  forget(person: string): void {
    this.byPerson.delete(person);
  }

  /** Of somebody who has joined, or who has another one now. */
  set(person: string, role: Role): void {
    this.byPerson.set(person, role);
  }
}
