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
import { translateConfigError } from "./servers";

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
