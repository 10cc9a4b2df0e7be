import { definitionHash, readTool, type ServerTool } from "@/lib/mcp/connection/server-tool";
import type { McpDefinition, Pinned } from "@/lib/protocol/mcp";
import { type Accepted, type Lock, type Pin, writeLock } from "./lock-file";
import type { LockPlace } from "./lock-place";

/** Earlier accepted definitions that are kept for one tool. */
const maxHistory = 5;

export interface Acceptance {
  tools: readonly ServerTool[];
  /** Of tools that are not listed any more, the definitions that are forgotten. */
  gone?: readonly { tool: string; hash: string }[];
  /** By who decides for everybody: what they block or accept counts for each person. */
  forAll?: boolean;
}

/** The accepted definitions of tools, in a lock file that can be committed and read as a diff, or where instances share them. */
export class Pins {
  constructor(private readonly place: LockPlace) {}

  load(): void | Promise<void> {
    return this.place.load();
  }

  /**
   * Accepts what an approved server lists for the first time; later listings change nothing. Resolves, where others may
   * have met it before, when that is known: until then no definition of it counts as accepted.
   */
  pinFirst(server: string, tools: readonly ServerTool[]): void | Promise<void> {
    if (this.place.isBroken || this.lock.has(server) || tools.length === 0) return;
    return this.place.meet((lock) => {
      if (lock.has(server)) return false;
      put(lock, server, tools);
      return true;
    });
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

  /** Accepts the present definitions, and forgets those of tools that are gone. */
  accept(server: string, { tools, gone = [] }: Acceptance): Promise<void> {
    return this.place.change((lock) => {
      const before = writeLock(lock);
      put(lock, server, tools);
      const pins = lock.get(server);
      for (const { tool, hash } of gone) if (pins?.get(tool)?.accepted?.hash === hash) pins.delete(tool);
      return writeLock(lock) !== before;
    });
  }

  /** This definition of the tool is no longer blocked; whether it is accepted stays as it is. */
  async unblock(server: string, tool: ServerTool): Promise<void> {
    if (!this.isBlocked(server, tool)) return;
    await this.place.change((lock) => {
      const pin = lock.get(server)?.get(tool.name);
      if (pin?.blocked !== definitionHash(tool)) return false;
      lock.get(server)?.set(tool.name, { ...pin, blocked: null });
      return true;
    });
  }

  /** Until its definition changes or this one is accepted. */
  block(server: string, tool: ServerTool, _forAll = false): Promise<void> {
    return this.place.change((lock) => {
      const pins = enter(lock, server);
      const { accepted = null, history = [] } = pins.get(tool.name) ?? {};
      pins.set(tool.name, { accepted, history, blocked: definitionHash(tool) });
      return true;
    });
  }

  /** What cannot be read is left alone. */
  async forget(server: string): Promise<void> {
    if (!this.place.isBroken) await this.place.change((lock) => lock.delete(server));
  }

  /** Resolves when all pins are where they are kept. */
  saved(): Promise<void> {
    return this.place.saved();
  }

  /** What others change of them is not followed any more. */
  close(): void {
    this.place.close();
  }

  private get lock(): LockPlace["lock"] {
    return this.place.lock;
  }
}

function enter(lock: Lock, server: string): Map<string, Pin> {
  const pins = lock.get(server) ?? new Map<string, Pin>();
  lock.set(server, pins);
  return pins;
}

function put(lock: Lock, server: string, tools: readonly ServerTool[]): void {
  const pins = enter(lock, server);
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
