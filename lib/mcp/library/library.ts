import { setTimeout as wait } from "node:timers/promises";
import { readBlocks } from "@/lib/mcp/calls/read-result";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { Connection } from "@/lib/mcp/connection/connection";
import { explainCall } from "@/lib/mcp/connection/explain-call";
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

export interface CompletionRequest {
  ref: { type: "prompt"; name: string } | { type: "resource"; uri: string };
  argument: { name: string; value: string };
  /** Arguments that are settled already. */
  context?: Record<string, string> | undefined;
}

/** What the servers have besides tools. Throws `McpConfigError` for a server that is not there, cannot be connected or fails. */
export interface McpLibrary {
  prompts(): McpPromptItem[];
  resources(): McpResourceItem[];
  templates(): McpResourceItem[];
  skills(): McpSkillItem[];
  /** A file of a skill, by default its SKILL.md; fails for one that is not what the skill's entry says. */
  readSkill(
    server: string,
    uri: string,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<ToolContent[]>;
  getPrompt(
    server: string,
    name: string,
    args: Record<string, string>,
    signal: AbortSignal,
  ): Promise<McpPromptText>;
  readResource(server: string, uri: string, signal: AbortSignal): Promise<ToolContent[]>;
  /** The same as the server sent it, for an app of that server. */
  readContents(server: string, uri: string, signal: AbortSignal): Promise<McpResourceContent[]>;
  /** The app at a `ui://` address. */
  readApp(server: string, uri: string, signal: AbortSignal): Promise<AppResource>;
  complete(server: string, request: CompletionRequest, signal: AbortSignal): Promise<McpCompletion>;
  /** Calls `onUpdate` with each change that the server tells of, over reconnects, until the signal fires; rejects where it tells of none. */
  watchResource(server: string, uri: string, signal: AbortSignal, onUpdate: () => void): Promise<void>;
}

const timeoutMs = 60_000;
const maxValues = 100;
/** Before a resource is watched anew. */
const firstPauseMs = 500;
const maxPauseMs = 60_000;

/** What the servers have besides tools: prompts, resources, skills, and completion of their arguments. */
export function createLibrary(servers: ServerRegistry): McpLibrary {
  const all = <Kind extends "prompts" | "resources" | "templates">(kind: Kind) =>
    servers
      .all()
      .flatMap(({ name: server, listing }) =>
        (listing?.library[kind] ?? []).map((item) => ({ server, ...item })),
      );
  const awake = async <Value>(
    server: string,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> => {
    const managed = servers.require(server);
    return managed.use(signal, async (fault) => {
      const connection = fault ? undefined : await managed.ready(signal);
      if (!connection) throw new McpConfigError("not_ready", fault ?? `${server} is not connected.`);
      return work(connection);
    });
  };
  const ask = <Value>(
    server: string,
    signal: AbortSignal,
    work: (connection: Connection, options: { signal: AbortSignal; timeout: number }) => Promise<Value>,
  ): Promise<Value> =>
    awake(server, signal, async (connection) => {
      try {
        return await work(connection, { signal, timeout: timeoutMs });
      } catch (cause) {
        signal.throwIfAborted();
        if (cause instanceof McpConfigError) throw cause;
        throw new McpConfigError("failed", explainCall(cause, server).message);
      }
    });
  return {
    prompts: () => all("prompts") as McpPromptItem[],
    resources: () => all("resources") as McpResourceItem[],
    templates: () => all("templates") as McpResourceItem[],
    skills: () =>
      servers
        .all()
        .flatMap(({ name, listing }) =>
          (listing?.library.skills ?? []).map((skill) => describeSkill(name, skill)),
        ),
    readSkill: (server, uri, file, signal) =>
      ask(server, signal, async (connection, options): Promise<ToolContent[]> => {
        const resource = await connection.readSkill(uri, file, options);
        if (!resource) throw new McpConfigError("not_found", `${server} has no skill ${uri}.`);
        return readBlocks([{ type: "resource" as const, resource }]);
      }),
    getPrompt: (server, name, args, signal) =>
      ask(server, signal, async ({ plain }, options): Promise<McpPromptText> => {
        const { description, messages } = await plain.getPrompt({ name, arguments: args }, options);
        return {
          description: description ?? null,
          messages: messages.map(({ role, content }) => ({ role, content: readBlocks([content]) })),
        };
      }),
    readResource: (server, uri, signal) =>
      ask(server, signal, async ({ plain }, options): Promise<ToolContent[]> => {
        const { contents } = await plain.readResource({ uri }, options);
        return readBlocks(contents.map((resource) => ({ type: "resource" as const, resource })));
      }),
    readContents: (server, uri, signal) =>
      ask(server, signal, async ({ plain }, options) =>
        readContents(await plain.readResource({ uri }, options), uri),
      ),
    readApp: (server, uri, signal) =>
      ask(server, signal, async ({ plain }, options) =>
        readApp(await plain.readResource({ uri }, options), uri),
      ),
    complete: (server, { ref, argument, context }, signal) =>
      ask(server, signal, async ({ plain }, options): Promise<McpCompletion> => {
        const about =
          ref.type === "prompt"
            ? { type: "ref/prompt" as const, name: ref.name }
            : { type: "ref/resource" as const, uri: ref.uri };
        const { completion } = await plain.complete(
          { ref: about, argument, ...(context && { context: { arguments: context } }) },
          options,
        );
        const { values, total, hasMore } = completion;
        return { values: values.slice(0, maxValues), total: total ?? null, hasMore: hasMore ?? false };
      }),
    watchResource: async (server, uri, signal, onUpdate) => {
      const ended = new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      for (let round = 0; !signal.aborted; round++) {
        // What changed while nobody was told.
        if (round > 0) onUpdate();
        await awake(server, signal, async (connection) => {
          if (!connection.resources.isPossible)
            throw new McpConfigError("failed", `${server} does not tell of changes.`);
          const { stop, broken } = await connection.resources.watch(uri, onUpdate).catch((cause) => {
            throw new McpConfigError("failed", explainCall(cause, server).message);
          });
          await Promise.race([ended, connection.whenClosed, broken]);
          stop();
        });
        await wait(Math.min(firstPauseMs * 2 ** round, maxPauseMs), undefined, { signal, ref: false }).catch(
          () => {},
        );
      }
    },
  };
}
