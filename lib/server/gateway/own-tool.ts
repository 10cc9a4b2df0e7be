import { z } from "zod";
import { findArgumentProblems } from "@/lib/agent/argument-problems";
import type { CallFollower, ListedTool, McpAnswer } from "@/lib/mcp/gateway/offer";
import type { TokenScope } from "@/lib/protocol/api-tokens";
import type { ChatDeps } from "@/lib/server/conversations/chat";
import { HttpError } from "@/lib/server/http/errors";
import type { CallDeps } from "./begin-call";
import type { CallingClient } from "./call-tool";
import { errorAnswer } from "./to-answer";

/** What Meguri's own tools need. */
export type OwnDeps = CallDeps & ChatDeps;

/** A tool of Meguri itself; its name has no server in front. */
export interface OwnTool {
  listed: ListedTool;
  /** What the token needs beside `mcp`. */
  scope: TokenScope;
  call(client: CallingClient, args: Record<string, unknown>, follow: CallFollower): Promise<McpAnswer>;
}

/** A tool whose arguments have this form; what does not fit is told to the model. */
export function ownTool<Args extends z.ZodType>(
  {
    args: schema,
    scope,
    ...words
  }: Pick<ListedTool, "name" | "title" | "description" | "annotations"> & {
    args: Args;
    scope: TokenScope;
  },
  call: (client: CallingClient, args: z.output<Args>, follow: CallFollower) => Promise<McpAnswer>,
): OwnTool {
  const inputSchema = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  return {
    listed: { ...words, inputSchema: { ...inputSchema, type: "object" } },
    scope,
    async call(client, args, follow) {
      const parsed = schema.safeParse(args);
      if (parsed.success) return call(client, parsed.data, follow).catch(refused);
      const [problem] = findArgumentProblems(inputSchema, args);
      const [issue] = parsed.error.issues;
      return errorAnswer(`Not run: ${problem ?? `${issue?.path.join(".")}: ${issue?.message}`}`);
    },
  };
}

/** What the model that asks can do something about. */
function refused(cause: unknown): McpAnswer {
  if (cause instanceof HttpError) return errorAnswer(cause.message);
  throw cause;
}

/** Words for the model, and the same for programs. */
export const tell = (text: string, structuredContent: Record<string, unknown>): McpAnswer => ({
  content: [{ type: "text", text }],
  structuredContent,
});
