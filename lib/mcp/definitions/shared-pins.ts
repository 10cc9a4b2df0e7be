import type { SharedChanges } from "@/lib/mcp/config/shared-documents";
import type { LockPlace } from "./lock-place";
import type { PersonalPlaces, PinFolder } from "./pin-folder";
import { Pins } from "./pins";
import { SharedLock } from "./shared-lock";

/** A document for each person, which all instances share; the files of a folder are their seeds. */
export class SharedPins implements PersonalPlaces {
  constructor(
    /** How the names of the documents begin. */
    private readonly prefix: string,
    private readonly seeds: PinFolder,
    private readonly changes: SharedChanges,
    private readonly warn: (message: string) => void,
  ) {}

  placeOf(person: string, onChange: () => void): LockPlace {
    const { prefix, seeds, changes, warn } = this;
    return new SharedLock({ name: prefix + person, seed: seeds.pathOf(person), changes, warn, onChange });
  }

  async delete(person: string): Promise<void> {
    // The seed first: else whoever reads between the two puts it in again.
    await this.seeds.delete(person);
    await this.changes.documents.delete(this.prefix + person);
  }

  async forget(server: string, inMemory: (person: string) => Pins | undefined): Promise<void> {
    await this.seeds.forget(server, () => undefined);
    for (const name of await this.changes.documents.names(this.prefix)) {
      const person = name.slice(this.prefix.length);
      const known = inMemory(person);
      const pins = known ?? new Pins(this.placeOf(person, () => {}));
      try {
        if (!known) await pins.load();
        await pins.forget(server);
      } finally {
        if (!known) pins.close();
      }
    }
  }
}
