import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Pins } from "./pins";

const ending = ".lock.json";

/** Where each person's own pins are kept: a file for each. */
export class PinFolder {
  constructor(private readonly folder: string) {}

  pathOf(person: string): string {
    return join(this.folder, `${encodeURIComponent(person)}${ending}`);
  }

  delete(person: string): Promise<void> {
    return rm(this.pathOf(person), { force: true });
  }

  /** Of everybody, whether they have been here since the start or not. `inMemory`: those of a person who has. */
  async forget(server: string, inMemory: (person: string) => Pins | undefined): Promise<void> {
    const files = await readdir(this.folder).catch(() => []);
    for (const file of files.filter((each) => each.endsWith(ending))) {
      const known = inMemory(decodeURIComponent(file.slice(0, -ending.length)));
      const pins = known ?? new Pins(join(this.folder, file), () => {});
      if (!known) pins.load();
      await pins.forget(server);
    }
  }
}
