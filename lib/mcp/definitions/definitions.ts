import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { definitionHash, type ServerTool } from "@/lib/mcp/connection/server-tool";
import type { ManagedServer } from "@/lib/mcp/servers/managed-server";
import type { ServerRegistry } from "@/lib/mcp/servers/server-registry";
import { sortNames } from "@/lib/protocol/canonical-json";
import type { McpDefinitionItem } from "@/lib/protocol/mcp";
import type { Accepted } from "./lock-file";
import type { Acceptance, Pins } from "./pins";

/** What a person was shown: the name that the server gives the tool, and the hash of its definition. */
export interface ShownDefinition {
  tool: string;
  hash: string;
}

/**
 * The definitions of tools that people accept and block, of all servers. Throws `McpConfigError`: "stale" for a hash that
 * is out of date, "not_found" for a tool that is not listed.
 */
export class Definitions {
  constructor(
    private readonly servers: ServerRegistry,
    private readonly pins: Pins,
    /** Something was accepted or blocked. */
    private readonly onChange: () => void,
  ) {}

  /** What was accepted of each tool of a server, and what the server says now. */
  list(server: string): McpDefinitionItem[] {
    return listDefinitions(this.servers.require(server), this.pins);
  }

  /**
   * Takes the definitions into the lock file, all or none. For a tool that the server no longer lists the hash is the
   * accepted one, and the tool is forgotten. `forAll`: by who decides for everybody.
   */
  async accept(server: string, shown: readonly ShownDefinition[], forAll = false): Promise<void> {
    await this.pins.accept(server, { ...whatIs(this.servers.require(server), this.pins, shown), forAll });
    this.onChange();
  }

  /** The same for one tool by its qualified name, with its hash (`McpToolItem.hash`). */
  async acceptTool(qualifiedName: string, hash: string): Promise<void> {
    const offer = this.servers.offers().get(qualifiedName);
    if (!offer) throw new McpConfigError("not_found", `There is no tool ${qualifiedName}.`);
    await this.accept(offer.server.name, [{ tool: offer.tool.name, hash }]);
  }

  /** Calls of the tool are refused until its definition changes or this one is accepted. */
  async block(server: string, { tool, hash }: ShownDefinition, forAll = false): Promise<void> {
    await this.pins.block(server, findTool(this.servers.require(server), tool, hash), forAll);
    this.onChange();
  }
}

/** Accepted tools that the server no longer lists; none while its listing is not known. */
export function removedTools({ name, listing }: ManagedServer, pins: Pins): string[] {
  if (!listing) return [];
  const there = new Set(listing.tools.map((tool) => tool.name));
  return [...pins.of(name)].flatMap(([tool, { accepted }]) => (accepted && !there.has(tool) ? tool : []));
}

function listDefinitions(server: ManagedServer, pins: Pins): McpDefinitionItem[] {
  const known = pins.of(server.name);
  const listed = (server.listing?.tools ?? []).map((tool) => ({
    tool: tool.name,
    state: pins.state(server.name, tool),
    blocked: pins.isBlocked(server.name, tool),
    present: { hash: definitionHash(tool), definition: toItem(tool.definition) },
  }));
  const removed = removedTools(server, pins).map((tool) => ({
    ...{ tool, state: "removed" as const, blocked: false, present: null },
  }));
  return [...listed, ...removed].map((item) => {
    const { accepted = null, history = [] } = known.get(item.tool) ?? {};
    return { ...item, accepted: accepted && acceptedItem(accepted), history: history.map(acceptedItem) };
  });
}

/** The tools that are listed, and those that are not any more, with the definitions that were shown. */
function whatIs(server: ManagedServer, pins: Pins, shown: readonly ShownDefinition[]): Acceptance {
  const removed = new Set(removedTools(server, pins));
  const gone: ShownDefinition[] = [];
  const tools: ServerTool[] = [];
  for (const { tool: name, hash } of shown)
    if (removed.has(name)) {
      if (pins.of(server.name).get(name)?.accepted?.hash !== hash) throw stale(name);
      gone.push({ tool: name, hash });
    } else tools.push(findTool(server, name, hash));
  return { tools, gone };
}

/** The listed tool, if this is still its definition. */
function findTool({ name: server, listing }: ManagedServer, name: string, hash: string): ServerTool {
  const tool = listing?.tools.find((one) => one.name === name);
  if (!tool) throw new McpConfigError("not_found", `${server} has no tool ${name}.`);
  if (definitionHash(tool) !== hash) throw stale(name);
  return tool;
}

const stale = (name: string) =>
  new McpConfigError("stale", `${name} has changed since it was shown. Look at it again, then accept it.`);

/** With sorted names, so that two definitions can be compared line by line. */
const toItem = (definition: unknown) => sortNames(definition) as Record<string, unknown>;

const acceptedItem = ({ hash, definition, acceptedAt }: Accepted) => ({
  ...{ hash, definition: toItem(definition), acceptedAt },
});
