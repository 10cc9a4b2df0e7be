import { once } from "node:events";
import type { z } from "zod";
import type {
  McpCompletion,
  McpPromptItem,
  McpPromptText,
  McpResourceItem,
  McpSkillItem,
} from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { CompleteBody, PromptBody, ResourceBody, SkillBody } from "@/lib/server/contract/offers";
import { streamEvents } from "@/lib/server/http/event-stream";
import { translateConfigError } from "./config-errors";

export const listPrompts = ({
  pool,
}: Pick<BaseDeps, "pool">): { items: McpPromptItem[]; nextCursor: null } => ({
  items: pool.library.prompts(),
  nextCursor: null,
});

export const listResources = ({
  pool,
}: Pick<BaseDeps, "pool">): { items: McpResourceItem[]; templates: McpResourceItem[]; nextCursor: null } => ({
  items: pool.library.resources(),
  templates: pool.library.templates(),
  nextCursor: null,
});

export const getPrompt = (
  { pool }: Pick<BaseDeps, "pool">,
  { server, name, args }: z.output<typeof PromptBody>,
  signal: AbortSignal,
): Promise<McpPromptText> => translateConfigError(() => pool.library.getPrompt(server, name, args, signal));

export const readResource = (
  { pool }: Pick<BaseDeps, "pool">,
  { server, uri }: z.output<typeof ResourceBody>,
  signal: AbortSignal,
): Promise<{ content: ToolContent[] }> =>
  translateConfigError(async () => ({ content: await pool.library.readResource(server, uri, signal) }));

export const listSkills = ({
  pool,
}: Pick<BaseDeps, "pool">): { items: McpSkillItem[]; nextCursor: null } => ({
  items: pool.library.skills(),
  nextCursor: null,
});

export const readSkill = (
  { pool }: Pick<BaseDeps, "pool">,
  { server, uri, file }: z.output<typeof SkillBody>,
  signal: AbortSignal,
): Promise<{ content: ToolContent[] }> =>
  translateConfigError(async () => ({ content: await pool.library.readSkill(server, uri, file, signal) }));

export const complete = (
  { pool }: Pick<BaseDeps, "pool">,
  { server, ...request }: z.output<typeof CompleteBody>,
  signal: AbortSignal,
): Promise<McpCompletion> => translateConfigError(() => pool.library.complete(server, request, signal));

/**
 * An event stream of changes: `updated` with `{server, uri}` for each, and once `unwatched` with a `message` for a
 * resource whose changes its server does not announce. The servers are subscribed to as long as somebody reads.
 */
export function streamUpdates(
  { pool }: Pick<BaseDeps, "pool">,
  resources: readonly { server: string; uri: string }[],
  signal: AbortSignal,
): Response {
  return streamEvents(signal, async ({ tell, signal: gone }) => {
    for (const { server, uri } of resources)
      pool.library
        .watchResource(server, uri, gone, () => tell("updated", { server, uri }))
        .catch((cause: Error) => tell("unwatched", { server, uri, message: cause.message }));
    if (!gone.aborted) await once(gone, "abort");
  });
}
