import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { writeFileAtomically } from "@/lib/mcp/config/write-file";
import { definitionHash, readTool, type ServerTool } from "@/lib/mcp/connection/server-tool";
import type { McpDefinition, Pinned } from "@/lib/protocol/mcp";
import { type Accepted, type Lock, type Pin, readLock, writeLock } from "./lock-file";

/** Earlier accepted definitions that are kept for one tool. */
const maxHistory = 5;

export interface Acceptance {
  tools: readonly ServerTool[];
  gone?: readonly string[];
  /** By who decides for everybody: what they block or accept counts for each person. */
  forAll?: boolean;
}

/** The accepted definitions of tools, in a lock file that can be committed and read as a diff. */
export class Pins {
  private lock: Lock = new Map();
  /** The file exists and cannot be read: then no definition counts as accepted. */
  private broken = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly warn: (message: string) => void,
  ) {}

  load(): void {
    try {
      this.lock = readLock(readFileSync(this.path, "utf8"));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return;
      this.broken = true;
      this.warn(`${this.path} cannot be read, so every tool asks first. Fix or delete it. (${cause})`);
    }
  }

  /** Accepts what an approved server lists for the first time; later listings change nothing. */
  pinFirst(server: string, tools: readonly ServerTool[]): void {
    if (this.broken || this.lock.has(server) || tools.length === 0) return;
    this.lock.set(server, new Map());
    this.put(server, tools);
    this.write();
  }

  /** All that is known of the tools of a server. */
  of(server: string): ReadonlyMap<string, Pin> {
    return this.lock.get(server) ?? none;
  }

  state(server: string, tool: ServerTool): Pinned {
    const pins = this.lock.get(server);
    const accepted = pins?.get(tool.name)?.accepted;
    if (pins && !accepted) return "added";
    return accepted?.hash === definitionHash(tool) ? "pinned" : "changed";
  }

  /**
   * The accepted definition: the present one, an earlier one, or none. Of a server that is not in the lock file it is
   * the present one.
   */
  acceptedTool(server: string, tool: ServerTool): ServerTool | undefined {
    const pins = this.lock.get(server);
    if (!pins || this.state(server, tool) === "pinned") return tool;
    const accepted = pins.get(tool.name)?.accepted;
    return accepted ? readAccepted(accepted) : undefined;
  }

  /** The accepted definitions of a server that does not list its tools now, but for those that are blocked. */
  acceptedTools(server: string): ServerTool[] {
    return [...(this.lock.get(server)?.values() ?? [])].flatMap(({ accepted }) => {
      const tool = accepted && readAccepted(accepted);
      return tool && this.state(server, tool) === "pinned" && !this.isBlocked(server, tool) ? [tool] : [];
    });
  }

  /** A person has blocked this definition. */
  isBlocked(server: string, tool: ServerTool): boolean {
    return this.lock.get(server)?.get(tool.name)?.blocked === definitionHash(tool);
  }

  /** Accepts the present definitions; `gone` are tools that are removed from the lock file. */
  async accept(server: string, { tools, gone = [] }: Acceptance): Promise<void> {
    this.assertReadable();
    const before = writeLock(this.lock);
    this.put(server, tools);
    for (const name of gone) this.lock.get(server)?.delete(name);
    if (writeLock(this.lock) !== before) this.write();
    await this.writing;
  }

  /** This definition of the tool is no longer blocked; whether it is accepted stays as it is. */
  async unblock(server: string, tool: ServerTool): Promise<void> {
    const pin = this.lock.get(server)?.get(tool.name);
    if (!pin || !this.isBlocked(server, tool)) return;
    this.lock.get(server)?.set(tool.name, { ...pin, blocked: null });
    this.write();
    await this.writing;
  }

  /** Until its definition changes or this one is accepted. */
  async block(server: string, tool: ServerTool, _forAll = false): Promise<void> {
    this.assertReadable();
    const pins = this.enter(server);
    const { accepted = null, history = [] } = pins.get(tool.name) ?? {};
    pins.set(tool.name, { accepted, history, blocked: definitionHash(tool) });
    this.write();
    await this.writing;
  }

  async forget(server: string): Promise<void> {
    if (this.lock.delete(server)) this.write();
    await this.writing;
  }

  /** Resolves when all pins are in the file. */
  saved(): Promise<void> {
    return this.writing;
  }

  private enter(server: string): Map<string, Pin> {
    const pins = this.lock.get(server) ?? new Map<string, Pin>();
    this.lock.set(server, pins);
    return pins;
  }

  private put(server: string, tools: readonly ServerTool[]): void {
    const pins = this.enter(server);
    const acceptedAt = new Date().toISOString();
    for (const tool of tools) {
      const { accepted = null, history = [] } = pins.get(tool.name) ?? {};
      const hash = definitionHash(tool);
      const isSame = accepted?.hash === hash;
      pins.set(tool.name, {
        accepted: isSame ? accepted : { hash, definition: tool.definition, acceptedAt },
        history: accepted && !isSame ? [accepted, ...history].slice(0, maxHistory) : history,
        blocked: null,
      });
    }
  }

  /** A file that replaces the broken one would know this server only, and accept the next listing of all others. */
  private assertReadable(): void {
    if (this.broken)
      throw new McpConfigError(
        "file_broken",
        `${this.path} cannot be read. Fix or delete it, then restart Meguri.`,
      );
  }

  private write(): void {
    const text = writeLock(this.lock);
    this.writing = this.writing
      .then(() => mkdir(dirname(this.path), { recursive: true }))
      .then(() => writeFileAtomically(this.path, text))
      .catch((cause) =>
        this.warn(`${this.path} cannot be written, so pins last until the end only. (${cause})`),
      );
  }
}

const read = new WeakMap<Accepted, ServerTool>();

/** One object for each accepted definition; undefined for one that was damaged by hand. */
function readAccepted(accepted: Accepted): ServerTool | undefined {
  const known = read.get(accepted);
  if (known) return known;
  const { ui, ...definition } = accepted.definition as McpDefinition;
  const tool = readTool({ ...definition, ...(ui !== undefined && { _meta: { ui } }) });
  if ("fault" in tool) return undefined;
  read.set(accepted, tool);
  return tool;
}

const none: ReadonlyMap<string, Pin> = new Map();
