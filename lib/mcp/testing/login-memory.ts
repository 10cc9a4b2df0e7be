import type { LoginMemory, SavedLogin } from "@/lib/mcp/oauth/login-store";

/** Keeps logins in a map; `fault`, where it is set, is what every access fails with. */
export class TestLoginMemory implements LoginMemory {
  fault: string | undefined;
  readonly kept = new Map<string, SavedLogin>();

  async get(server: string): Promise<SavedLogin | undefined> {
    this.orFail();
    return structuredClone(this.kept.get(server));
  }

  async update(server: string, change: (saved: SavedLogin | undefined) => SavedLogin): Promise<void> {
    this.orFail();
    this.kept.set(server, change(structuredClone(this.kept.get(server))));
  }

  async delete(server: string): Promise<void> {
    this.orFail();
    this.kept.delete(server);
  }

  private orFail(): void {
    if (this.fault) throw new Error(this.fault);
  }
}
