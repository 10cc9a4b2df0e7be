import type { ToolBox, ToolSpec } from "@/lib/agent/ports";
import type { McpToolItem } from "@/lib/protocol/mcp";
import { runLimits } from "@/lib/protocol/run-limits";
import { type CallTarget, callStatusOf } from "./calls/call-options";
import { createToolBox, type ToolBoxOptions, type ToolSource } from "./calls/tool-box";
import { definitionHash, isFor, type ServerTool } from "./connection/server-tool";
import type { Pins } from "./definitions/pins";
import { describeTool } from "./describe-server";
import type { Offer, ServerRegistry } from "./servers/server-registry";

const defaultTimeoutMs = runLimits.chat.silentCallMs;

/** Which servers a tool box has the tools of (default all), and the run that it is for. */
export type ToolBoxChoice = { servers?: readonly string[] } & Pick<
  ToolBoxOptions,
  "open" | "inFlight" | "person" | "sample" | "signInPage" | "openFiles" | "onResult" | "onLog"
>;

/** A tool and the name of its server. */
export interface FoundTool {
  server: string;
  item: McpToolItem;
}

/** A tool as it is handed on to another program: in the definition that was accepted. */
export interface GivenTool extends ToolSpec, Partial<Pick<McpToolItem, "annotations" | "ui">> {
  server: string;
  /** The server's own name of it. */
  tool: string;
  title?: string;
  outputSchema?: Record<string, unknown>;
}

/** What the servers offer to models: the tools and the instructions of `McpPool`. */
export class OfferedTools {
  constructor(
    private readonly servers: ServerRegistry,
    private readonly pins: Pins,
  ) {}

  box({ servers, ...run }: ToolBoxChoice): ToolBox {
    const source = offerTools(this.servers, this.pins, servers);
    const serverOf = (name: string) => this.servers.offers().get(name)?.server.name ?? "";
    return createToolBox({ ...source, ...run, serverOf });
  }

  /** The same tools as in a tool box, for a program that models are not asked for. */
  given(servers: readonly string[] | undefined): GivenTool[] {
    return [...this.servers.offers()].flatMap(([name, offer]) =>
      isOffered(offer, this.pins, servers) ? [give(name, offer, this.pins)] : [],
    );
  }

  find(qualifiedName: string): FoundTool | undefined {
    const offer = this.servers.offers().get(qualifiedName);
    if (!offer) return undefined;
    const { server, tool } = offer;
    return { server: server.name, item: describeTool(server, tool, this.pins) };
  }

  async findWhenReady(qualifiedName: string, signal: AbortSignal): Promise<FoundTool | undefined> {
    await this.servers.waitForTool(qualifiedName, signal);
    return this.find(qualifiedName);
  }

  isDeferred(qualifiedName: string, chosen: Readonly<Record<string, boolean>> = {}): boolean {
    const server = this.servers.offers().get(qualifiedName)?.server;
    if (server && Object.hasOwn(chosen, server.name)) return chosen[server.name] === true;
    return server?.config.deferred === true;
  }

  instructions(servers?: readonly string[]): { server: string; text: string }[] {
    return this.servers.all().flatMap(({ name, listing }) => {
      const text = listing?.instructions;
      return text && (servers?.includes(name) ?? true) ? [{ server: name, text }] : [];
    });
  }
}

/** The tools that are listed, switched on and not blocked, of the named servers (default all). */
function offerTools(
  registry: ServerRegistry,
  pins: Pins,
  servers: readonly string[] | undefined,
): ToolSource {
  // Calls of a tool that this run has seen still find it while its server reconnects.
  const seen = new Map<string, Offer>();
  let latest: readonly ToolSpec[] = [];
  let from: ReadonlyMap<string, Offer> | undefined;
  return {
    specs: () => {
      const offers = registry.offers();
      if (offers === from) return latest; // it is replaced with each change
      from = offers;
      const ready = [...offers].filter(([, offer]) => isOffered(offer, pins, servers));
      for (const [name, offer] of ready) seen.set(name, offer);
      const specs = ready.map(([name, { server, tool }]) =>
        specOf(name, pins.acceptedTool(server.name, tool) ?? unreadOf(tool)),
      );
      latest = [latest, newest.get(registry) ?? []].find((list) => isSame(list, specs)) ?? specs;
      newest.set(registry, latest);
      return latest;
    },
    find: ({ name, definition }) => {
      const offer = registry.offers().get(name) ?? seen.get(name);
      // One that was removed, or that the person does not have any more, is not reached.
      if (!offer || registry.get(offer.server.name) !== offer.server) return undefined;
      if (!isOffered(offer, pins, servers)) return undefined;
      if (definition !== undefined && definition !== definitionHash(offer.tool)) return "changed";
      return targetOf(offer, pins, registry);
    },
  };
}

const isOffered = ({ server, tool }: Offer, pins: Pins, servers: readonly string[] | undefined): boolean =>
  (servers?.includes(server.name) ?? true) &&
  !server.config.disabledTools?.includes(tool.name) &&
  isFor("model", tool) &&
  !pins.isBlocked(server.name, tool);

function give(name: string, { server, tool }: Offer, pins: Pins): GivenTool {
  const accepted = pins.acceptedTool(server.name, tool);
  const { description, inputSchema } = accepted ?? unreadOf(tool);
  const given = { name, server: server.name, tool: tool.name, description, inputSchema };
  if (!accepted) return given;
  const { title, outputSchema, annotations, ui } = accepted;
  return {
    ...given,
    ...(title !== null && { title }),
    ...(outputSchema && { outputSchema }),
    ...{ annotations, ...(ui && { ui }) },
  };
}

/**
 * What was offered last, by whichever run: most runs offer the same, and adapters keep what they make of a list by its
 * identity.
 */
const newest = new WeakMap<ServerRegistry, readonly ToolSpec[]>();

const isSame = (list: readonly ToolSpec[], specs: readonly ToolSpec[]): boolean =>
  list.length === specs.length && list.every((spec, index) => spec === specs[index]);

type Described = Pick<ToolSpec, "description" | "inputSchema">;

const unread = new WeakMap<ServerTool, Described>();

/** What the model reads of a tool that was added after the tools of its server were accepted: no text of the server. */
function unreadOf(tool: ServerTool): Described {
  const known = unread.get(tool) ?? {
    description: "New. What it does and takes is told once a person has accepted it; a call asks them to.",
    inputSchema: { type: "object" },
  };
  unread.set(tool, known);
  return known;
}

const written = new WeakMap<Described, ToolSpec>();

/** One object for each definition, in all runs. */
function specOf(name: string, tool: Described): ToolSpec {
  let spec = written.get(tool);
  if (spec?.name !== name) {
    spec = { name, description: tool.description, inputSchema: tool.inputSchema };
    written.set(tool, spec);
  }
  return spec;
}

/** Where calls of a tool go: its server, which is started for them, with the limits of the server's entry. */
export function targetOf(
  { server, tool }: Offer,
  pins: Pins,
  servers: Pick<ServerRegistry, "connectionOf">,
): CallTarget {
  const { readOnlyHint, idempotentHint } = tool.annotations;
  return {
    server: server.name,
    tool,
    // Read when the call is sent: a start can take long enough for the entry to change.
    get timeoutMs() {
      return server.config.timeout ?? defaultTimeoutMs;
    },
    get longestMs() {
      return server.longestCallMs;
    },
    get needsSignIn() {
      return server.needsSignIn;
    },
    get repeatable() {
      return (readOnlyHint || idempotentHint || false) && pins.state(server.name, tool) === "pinned";
    },
    get mayEscalate() {
      return server.config.mayEscalate;
    },
    // The server stays awake from the start to the answer, and while a person is asked.
    use: (call, send) =>
      server.sleepCycle.use(call.signal, async (fault) => {
        server.sleepCycle.usage.release(call.callId);
        const outcome = await send(fault);
        server.noteCall(callStatusOf(outcome));
        if ("inputRequired" in outcome && call.ask) server.sleepCycle.usage.hold(call.callId);
        return outcome;
      }),
    connection: (signal) => servers.connectionOf(server, signal),
  };
}
