import { secretNamesIn } from "./config/hide-secrets";
import type { ServerRegistry } from "./servers/server-registry";

interface Parts {
  applyOwn(person: string): void;
  /** What everybody shares; of a person who has no connections here undefined. */
  registryOf(person: string | undefined): ServerRegistry | undefined;
  ofPeople(): Iterable<readonly [person: string, servers: ServerRegistry]>;
}

/** Takes up what other instances have changed of what is kept for servers outside of the file. Connects nobody. */
export class OthersChanges {
  constructor(private readonly core: Parts) {}

  /** The servers that only this person has, or what their role lets them have. */
  ofPerson(person: string): void {
    this.core.applyOwn(person);
  }

  /** Values of secrets: a server that uses some is started again. Without a person those that everybody shares. */
  ofSecrets(person: string | undefined, names: Iterable<string>): void {
    const servers = this.core.registryOf(person);
    for (const name of names) {
      const server = servers?.get(name);
      if (server && secretNamesIn(server.config).length > 0) server.restart();
    }
  }

  /** What is saved of a sign-in: where a person has signed in or out the server is connected again. */
  async ofLogin(person: string | undefined, name: string): Promise<void> {
    const server = this.core.registryOf(person)?.get(name);
    if (await server?.login?.reread()) server?.restart();
  }

  /** All sign-ins. */
  async ofLogins(): Promise<void> {
    for (const person of [undefined, ...[...this.core.ofPeople()].map(([person]) => person)])
      for (const { name } of this.core.registryOf(person)?.all() ?? []) await this.ofLogin(person, name);
  }
}
