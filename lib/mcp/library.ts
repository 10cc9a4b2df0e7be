import type { McpCompletion, McpPromptItem, McpPromptText, McpResourceItem } from "@/lib/protocol/http";
import type { ToolContent } from "@/lib/protocol/message";
import { readApp, readContents } from "./app-resource";
import type { Connection } from "./connection";
import { explainCall } from "./explain-call";
import { readBlocks } from "./read-result";
import type { ServerSet } from "./server-set";
import { McpConfigError, type McpLibrary } from "./types";

const timeoutMs = 60_000;
const maxValues = 100;

/** What the servers have besides tools: prompts, resources, and completion of their arguments. */
export function createLibrary(set: ServerSet): McpLibrary {
  const all = <Kind extends "prompts" | "resources" | "templates">(kind: Kind) =>
    set
      .all()
      .flatMap(({ name: server, connection }) =>
        (connection?.library[kind] ?? []).map((item) => ({ server, ...item })),
      );
  const ask = async <Value>(
    server: string,
    signal: AbortSignal,
    work: (connection: Connection, options: { signal: AbortSignal; timeout: number }) => Promise<Value>,
  ): Promise<Value> => {
    const connection = await set.require(server).ready(signal);
    if (!connection) throw new McpConfigError("not_ready", `${server} is not connected.`);
    try {
      return await work(connection, { signal, timeout: timeoutMs });
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof McpConfigError) throw cause;
      throw new McpConfigError("failed", explainCall(cause, server).message);
    }
  };
  return {
    prompts: () => all("prompts") as McpPromptItem[],
    resources: () => all("resources") as McpResourceItem[],
    templates: () => all("templates") as McpResourceItem[],
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
      while (!signal.aborted) {
        const connection = await set.require(server).ready(signal);
        if (!connection) throw new McpConfigError("not_ready", `${server} is not connected.`);
        if (!connection.resources.isPossible)
          throw new McpConfigError("failed", `${server} does not tell of changes.`);
        const stop = await connection.resources.watch(uri, onUpdate).catch((cause) => {
          throw new McpConfigError("failed", explainCall(cause, server).message);
        });
        await Promise.race([ended, connection.closed]);
        stop();
        // What changed while the server was away, nobody has told.
        if (!signal.aborted) onUpdate();
      }
    },
  };
}
