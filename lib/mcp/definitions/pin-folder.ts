import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LockInFile } from "./lock-in-file";
import type { LockPlace } from "./lock-place";
import { Pins } from "./pins";

const ending = ".lock.json";

/** Where each person's own pins are kept. */
export interface PersonalPlaces {
  placeOf(person: string, onChange: () => void): LockPlace;
  delete(person: string): Promise<void>;
  /** Of everybody, whether they have been here since the start or not. `inMemory`: those of a person who has. */
  forget(server: string, inMemory: (person: string) => Pins | undefined): Promise<void>;
}

/** A file for each. */
export class PinFolder implements PersonalPlaces {
  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  pathOf(person: string): string {
    return join(this.folder, `${encodeURIComponent(person)}${ending}`);
  }

  /** Who has a file here. */
  async people(): Promise<string[]> {
    const files = await readdir(this.folder).catch(() => []);
    return files.flatMap((file) =>
      file.endsWith(ending) ? decodeURIComponent(file.slice(0, -ending.length)) : [],
    );
  }

  placeOf(person: string): LockPlace {
    return new LockInFile(this.pathOf(person), this.warn);
  }

  delete(person: string): Promise<void> {
    return rm(this.pathOf(person), { force: true });
  }

  async forget(server: string, inMemory: (person: string) => Pins | undefined): Promise<void> {
    for (const person of await this.people()) {
      const known = inMemory(person);
      const pins = known ?? new Pins(new LockInFile(this.pathOf(person), () => {}));
      if (!known) await pins.load();
      await pins.forget(server);
    }
  }
}
