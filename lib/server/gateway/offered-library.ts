import { McpConfigError } from "@/lib/mcp/config/config-fault";
import {
  type Completion,
  errorCodes,
  GatewayError,
  type ListedPrompt,
  type ListedResource,
  type ListedTemplate,
} from "@/lib/mcp/gateway/offer";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { qualifyName } from "@/lib/mcp/servers/qualify-name";
import type { McpPromptItem, McpResourceItem } from "@/lib/protocol/mcp-offers";
import { isPlain, type Reach } from "./offered-tools";

export type LibraryDeps = {
  pool: {
    library: Pick<
      McpPool["library"],
      | "prompts"
      | "resources"
      | "templates"
      | "handPrompt"
      | "handResource"
      | "complete"
      | "requireWatch"
      | "watchResource"
    >;
  };
};

/** The prompts and resources of the servers that a program was given; their addresses are those of the servers. */
export class OfferedLibrary {
  constructor(
    private readonly deps: LibraryDeps,
    private readonly reach: Reach,
  ) {}

  prompts(): ListedPrompt[] {
    return this.ofReach(this.library.prompts()).map((item) => ({
      name: this.nameOf(item),
      ...described(item),
      arguments: item.arguments.map(({ name, required, ...words }) => ({
        ...{ name, ...described(words), required },
      })),
    }));
  }

  resources(): ListedResource[] {
    return this.ofReach(this.library.resources()).map((item) => ({
      uri: item.uri,
      ...addressed(item),
      ...(item.size !== null && { size: item.size }),
    }));
  }

  templates(): ListedTemplate[] {
    return this.ofReach(this.library.templates()).map((item) => ({
      uriTemplate: item.uri,
      ...addressed(item),
    }));
  }

  prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<object> {
    return explained(() => {
      const found = this.findPrompt(name);
      return this.library.handPrompt(found.server, found.name, args, signal);
    });
  }

  resource(uri: string, signal: AbortSignal): Promise<object> {
    return explained(() => this.library.handResource(this.serverOf(uri), uri, signal));
  }

  async complete({ ref, argument, context }: Completion, signal: AbortSignal): Promise<object> {
    const prompt = ref.type === "prompt" ? this.findPrompt(ref.name) : undefined;
    const { values, total, hasMore } = await explained(() =>
      ref.type === "prompt"
        ? this.library.complete(
            prompt?.server ?? "",
            { ref: { type: "prompt", name: prompt?.name ?? "" }, argument, context },
            signal,
          )
        : this.library.complete(this.serverOf(ref.uri), { ref, argument, context }, signal),
    );
    return { completion: { values, hasMore, ...(total !== null && { total }) } };
  }

  /** Throws for a resource that is not offered, or whose server tells of no changes. */
  checkWatch(uri: string, signal: AbortSignal): Promise<void> {
    return explained(() => this.library.requireWatch(this.serverOf(uri), signal));
  }

  /** Calls the listener with each change until the signal fires. */
  watch(uri: string, signal: AbortSignal, onUpdate: () => void): Promise<void> {
    return explained(() => this.library.watchResource(this.serverOf(uri), uri, signal, onUpdate));
  }

  private get library() {
    return this.deps.pool.library;
  }

  private ofReach<Item extends { server: string }>(items: readonly Item[]): Item[] {
    return items.filter(({ server }) => this.reach.servers?.includes(server) ?? true);
  }

  private nameOf({ server, name }: McpPromptItem): string {
    return isPlain(this.reach) ? name : qualifyName(server, name);
  }

  private findPrompt(name: string): McpPromptItem {
    const found = this.ofReach(this.library.prompts()).find((item) => this.nameOf(item) === name);
    if (!found) throw new GatewayError(errorCodes.invalidParams, `There is no prompt ${name}.`);
    return found;
  }

  /** The server that lists it, or else has a template that it fits; of two the first. */
  private serverOf(uri: string): string {
    const listed = this.ofReach(this.library.resources()).find((item) => item.uri === uri);
    const found = listed ?? this.ofReach(this.library.templates()).find((item) => fits(item.uri, uri));
    if (!found) throw new GatewayError(errorCodes.noResource, `There is no resource ${uri}.`);
    return found.server;
  }
}

/** The texts between its variables stand in the address, in this order; a template itself is asked about when it is completed. */
function fits(template: string, uri: string): boolean {
  if (template === uri) return true;
  const fixed = template.split(/\{[^}]*\}/);
  if (fixed.length === 1 || !uri.startsWith(fixed[0] ?? "")) return false;
  let at = 0;
  for (const text of fixed) {
    const found = uri.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return uri.endsWith(fixed.at(-1) ?? "");
}

const described = ({ title, description }: { title: string | null; description: string | null }) => ({
  ...(title !== null && { title }),
  ...(description !== null && { description }),
});

const addressed = ({ name, mediaType, ...words }: McpResourceItem) => ({
  ...{ name, ...described(words) },
  ...(mediaType !== null && { mimeType: mediaType }),
});

/** What a server or the way to it did wrong, in its words. */
async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof McpConfigError)) throw cause;
    throw new GatewayError(errorCodes.internal, cause.message);
  }
}
