import { readFile } from "node:fs/promises";
import { z } from "zod";
import { sortNames } from "./canonical-json";
import { definitionHash, type ServerTool } from "./server-tool";
import { writeFileAtomically } from "./write-file";

const fileSchema = z.object({
  servers: z.record(
    z.string(),
    z.record(z.string(), z.object({ hash: z.string(), definition: z.unknown() })),
  ),
});

type Pin = { hash: string; definition: unknown };
export type PinState = "pinned" | "changed";

/** The definitions of tools that were accepted, in a lock file that is made to be read in a diff. */
export class Pins {
  private servers = new Map<string, Map<string, Pin>>();
  /** The file is there and cannot be read: then nothing is known to be accepted. */
  private broken = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly warn: (message: string) => void,
  ) {}

  async load(): Promise<void> {
    try {
      const file = fileSchema.parse(JSON.parse(await readFile(this.path, "utf8")));
      this.servers = new Map(
        Object.entries(file.servers).map(([server, pins]) => [server, new Map(Object.entries(pins))]),
      );
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return;
      this.broken = true;
      this.warn(`${this.path} cannot be read, so every tool asks first. Mend or delete it. (${cause})`);
    }
  }

  /** Pins what an approved server lists for the first time; later listings change nothing. */
  meet(server: string, tools: readonly ServerTool[]): void {
    if (this.broken || this.servers.has(server) || tools.length === 0) return;
    this.servers.set(server, new Map(tools.map((tool) => [tool.name, pinOf(tool)])));
    this.write();
  }

  state(server: string, tool: ServerTool): PinState {
    return this.servers.get(server)?.get(tool.name)?.hash === definitionHash(tool) ? "pinned" : "changed";
  }

  async accept(server: string, tool: ServerTool): Promise<void> {
    this.broken = false;
    const pins = this.servers.get(server) ?? new Map<string, Pin>();
    pins.set(tool.name, pinOf(tool));
    this.servers.set(server, pins);
    this.write();
    await this.writing;
  }

  async forget(server: string): Promise<void> {
    if (this.servers.delete(server)) this.write();
    await this.writing;
  }

  /** Resolves when what was pinned stands in the file. */
  saved(): Promise<void> {
    return this.writing;
  }

  private write(): void {
    const file = {
      version: 1,
      servers: sortNames(
        Object.fromEntries([...this.servers].map(([server, pins]) => [server, Object.fromEntries(pins)])),
      ),
    };
    const text = `${JSON.stringify(file, null, 2)}\n`;
    this.writing = this.writing
      .then(() => writeFileAtomically(this.path, text))
      .catch((cause) =>
        this.warn(`${this.path} cannot be written, so pins last until the end only. (${cause})`),
      );
  }
}

const pinOf = (tool: ServerTool): Pin => ({ hash: definitionHash(tool), definition: tool.definition });
