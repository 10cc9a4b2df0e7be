import { setTimeout as wait } from "node:timers/promises";
import type { GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { readBlocks } from "@/lib/mcp/calls/read-result";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { Connection } from "@/lib/mcp/connection/connection";
import { explainCall } from "@/lib/mcp/connection/explain-call";
import type { Library } from "@/lib/mcp/connection/list-offers";
import { describeSkill } from "@/lib/mcp/connection/skills";
import type { ServerRegistry } from "@/lib/mcp/servers/server-registry";
import type {
  McpCompletion,
  McpPromptItem,
  McpPromptText,
  McpResourceContent,
  McpResourceItem,
  McpSkillItem,
} from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";
import { type AppResource, readApp, readContents } from "./app-resource";

const timeoutMs = 60_000;
const maxValues = 100;
/** The pause before a resource is watched again; it doubles. */
const firstPauseMs = 500;
const maxPauseMs = 60_000;

export interface CompletionRequest {
  ref: { type: "prompt"; name: string } | { type: "resource"; uri: string };
  argument: { name: string; value: string };
  /** Arguments that are filled in already. */
  context?: Record<string, string> | undefined;
}

interface RequestLimits {
  signal: AbortSignal;
  timeout: number;
}

/**
 * What the servers offer besides tools: prompts, resources, skills, apps, and completion of arguments. Its requests throw
 * `McpConfigError` for a server that is not in the file, cannot be connected or fails.
 */
export class ServerLibrary {
  constructor(
    private readonly servers: ServerRegistry,
    private readonly person?: string,
  ) {}

  prompts(): McpPromptItem[] {
    return this.listed(({ prompts }) => prompts);
  }

  resources(): McpResourceItem[] {
    return this.listed(({ resources }) => resources);
  }

  templates(): McpResourceItem[] {
    return this.listed(({ templates }) => templates);
  }

  skills(): McpSkillItem[] {
    return this.servers
      .all()
      .flatMap(({ name, listing }) =>
        (listing?.library.skills ?? []).map((skill) => describeSkill(name, skill)),
      );
  }

  /** A file of a skill, by default its SKILL.md; fails for a file that is not what the skill's entry says. */
  readSkill(
    server: string,
    uri: string,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<ToolContent[]> {
    return this.request(server, signal, async (connection, limits) => {
      const resource = await connection.readSkill(uri, file, limits);
      if (!resource) throw new McpConfigError("not_found", `${server} has no skill ${uri}.`);
      return readBlocks([{ type: "resource" as const, resource }]);
    });
  }

  getPrompt(
    server: string,
    name: string,
    args: Record<string, string>,
    signal: AbortSignal,
  ): Promise<McpPromptText> {
    return this.request(server, signal, async ({ requests }, limits) => {
      const { description, messages } = await requests.getPrompt({ name, arguments: args }, limits);
      return {
        description: description ?? null,
        messages: messages.map(({ role, content }) => ({ role, content: readBlocks([content]) })),
      };
    });
  }

  readResource(server: string, uri: string, signal: AbortSignal): Promise<ToolContent[]> {
    return this.request(server, signal, async ({ requests }, limits) => {
      const { contents } = await requests.readResource({ uri }, limits);
      return readBlocks(contents.map((resource) => ({ type: "resource" as const, resource })));
    });
  }

  /** The answer of the server as it came, for a program that has asked. */
  handPrompt(
    server: string,
    name: string,
    args: Record<string, string>,
    signal: AbortSignal,
  ): Promise<GetPromptResult> {
    return this.request(server, signal, async ({ requests }, limits) =>
      bounded(await requests.getPrompt({ name, arguments: args }, limits), name),
    );
  }

  /** The answer of the server as it came, for a program that has asked. */
  handResource(server: string, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    return this.request(server, signal, async ({ requests }, limits) =>
      bounded(await requests.readResource({ uri }, limits), uri),
    );
  }

  /** The resource as the server sent it, for an app of that server. */
  readContents(server: string, uri: string, signal: AbortSignal): Promise<McpResourceContent[]> {
    return this.request(server, signal, async ({ requests }, limits) =>
      readContents(await requests.readResource({ uri }, limits), uri),
    );
  }

  /** The app at a `ui://` address. */
  readApp(server: string, uri: string, signal: AbortSignal): Promise<AppResource> {
    return this.request(server, signal, async ({ requests }, limits) =>
      readApp(await requests.readResource({ uri }, limits), uri),
    );
  }

  complete(
    server: string,
    { ref, argument, context }: CompletionRequest,
    signal: AbortSignal,
  ): Promise<McpCompletion> {
    const about =
      ref.type === "prompt"
        ? { type: "ref/prompt" as const, name: ref.name }
        : { type: "ref/resource" as const, uri: ref.uri };
    const params = { ref: about, argument, ...(context && { context: { arguments: context } }) };
    return this.request(server, signal, async ({ requests }, limits) => {
      const { values, total, hasMore } = (await requests.complete(params, limits)).completion;
      return { values: values.slice(0, maxValues), total: total ?? null, hasMore: hasMore ?? false };
    });
  }

  /**
   * Calls `onUpdate` with each change that the server tells of, also after reconnects, until the signal fires. Rejects for
   * a server that tells of none.
   */
  async watchResource(server: string, uri: string, signal: AbortSignal, onUpdate: () => void): Promise<void> {
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    const watched = this.servers.require(server);
    // Nothing is told of a server that the person does not have any more.
    const tell = () => this.servers.get(server) === watched && onUpdate();
    for (let round = 0; !signal.aborted; round++) {
      // It may have changed while nobody was subscribed.
      if (round > 0) tell();
      await this.withConnection(server, signal, async ({ resources, whenClosed }) => {
        requirePossible(server, resources);
        const { stop, broken } = await resources.watch(uri, tell).catch((cause) => {
          throw new McpConfigError("failed", explainCall(cause, server).message);
        });
        await Promise.race([aborted, whenClosed, broken]);
        stop();
      });
      const pauseMs = Math.min(firstPauseMs * 2 ** round, maxPauseMs);
      await wait(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Rejects for a server that tells of no changes. */
  async requireWatch(server: string, signal: AbortSignal): Promise<void> {
    await this.withConnection(server, signal, async ({ resources }) => requirePossible(server, resources));
  }

  private listed<Item>(pick: (library: Library) => readonly Item[]): (Item & { server: string })[] {
    return this.servers
      .all()
      .flatMap(({ name: server, listing }) =>
        listing ? pick(listing.library).map((item) => ({ server, ...item })) : [],
      );
  }

  private request<Value>(
    server: string,
    signal: AbortSignal,
    send: (connection: Connection, limits: RequestLimits) => Promise<Value>,
  ): Promise<Value> {
    return this.withConnection(server, signal, async (connection) => {
      try {
        return await connection.alongside(this.person, signal, () =>
          send(connection, { signal, timeout: timeoutMs }),
        );
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof McpConfigError) throw cause;
        throw new McpConfigError("failed", explainCall(cause, server).message);
      }
    });
  }

  /** Wakes the server, and keeps it awake while the work is under way. */
  private async withConnection<Value>(
    name: string,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    const server = this.servers.require(name);
    return server.sleepCycle.use(signal, async (fault) => {
      const connection = fault ? undefined : await this.servers.connectionOf(server, signal);
      if (!connection) throw new McpConfigError("not_ready", fault ?? `${name} is not connected.`);
      return work(connection);
    });
  }
}

const maxAnswer = 10 * 1024 * 1024;

function bounded<Answer>(answer: Answer, what: string): Answer {
  if (JSON.stringify(answer).length > maxAnswer)
    throw new McpConfigError("failed", `${what} is larger than ${maxAnswer / 1024 / 1024} MB.`);
  return answer;
}

function requirePossible(server: string, { isPossible }: Pick<Connection["resources"], "isPossible">): void {
  if (!isPossible) throw new McpConfigError("failed", `${server} does not report changes.`);
}
