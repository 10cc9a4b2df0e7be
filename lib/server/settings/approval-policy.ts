import type { FlowVerdict, Verdict } from "@/lib/agent/with-approval";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { DataFlow } from "@/lib/protocol/chunk";
import type { ToolCall } from "@/lib/protocol/message";
import type { ToolRule } from "@/lib/protocol/settings";
import { judgeFlow, judgeTool } from "@/lib/protocol/tool-rules";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Env } from "@/lib/server/env";
import { readRules } from "./tool-rules";

interface PolicyDeps extends Pick<BaseDeps, "store"> {
  env: Pick<Env, "TOOL_APPROVAL">;
  pool: Pick<McpPool, "toolWhenReady">;
}

/** What people have said beside the rules. */
export interface Permissions {
  /** Whether this tool was allowed for the run, or for the session of the program that has begun it. */
  has(qualifiedName: string): boolean | Promise<boolean>;
  /** Whether every tool that only reads was allowed; asked where it matters. */
  allowsReads?(): Promise<boolean>;
}

/**
 * Says for each call of a run whether it may go, is asked about or is refused. A changed definition asks whatever the
 * rules say; a tool that says it only reads passes when its definition is the accepted one.
 */
export function approvalPolicy(
  deps: PolicyDeps,
  userId: string,
  allowed: Permissions,
): (call: ToolCall) => Promise<Verdict> {
  return async (call) => {
    // A server that reconnects is waited for (5 s at most), as its tools could be sent to again a moment later.
    const found = await deps.pool.toolWhenReady(call.name, new AbortController().signal);
    if (!found) return { deny: `${call.name} is not connected now.` };
    const { server, item } = found;
    const definition = item.hash;
    const allow = { allow: { definition } };
    // Read for each call: a rule that was made while the run waits must count.
    const rules = await readRules(deps, userId);
    const { effect, because } = judgeTool(rules, server, item, deps.env.TOOL_APPROVAL);
    if (effect === "deny")
      return typeof because === "object"
        ? { deny: ruleInWords(because.rule) }
        : { deny: "Its definition is not the one that the user accepted, and they keep it blocked." };
    if (because === "changed_definition") return { ask: because, definition };
    if (effect === "allow" || (await allowed.has(call.name))) return allow;
    const isRead = item.annotations.readOnlyHint === true && (await allowed.allowsReads?.());
    return isRead ? allow : { ask: "rule", definition };
  };
}

/** Says of what a call carries from other servers whether it may go, is asked about or is refused. */
export function flowPolicy(
  deps: PolicyDeps,
  userId: string,
): (call: ToolCall, flows: readonly DataFlow[]) => Promise<FlowVerdict> {
  return async (call, flows) => {
    const found = await deps.pool.toolWhenReady(call.name, new AbortController().signal);
    if (!found) return "ask";
    const rules = await readRules(deps, userId);
    const verdicts = flows.map(({ server: from }) => ({
      from,
      effect: judgeFlow(rules, from, found.server, found.item, deps.env.TOOL_APPROVAL),
    }));
    const denied = verdicts.find(({ effect }) => effect === "deny");
    if (denied) return { deny: `A rule forbids this tool to get what ${denied.from} has returned.` };
    return verdicts.some(({ effect }) => effect === "ask") ? "ask" : "allow";
  };
}

/** What the model reads. */
function ruleInWords({ pattern, when }: ToolRule): string {
  if (when === "destructive")
    return `The rule ${pattern} forbids tools that may delete or overwrite data, and this one may.`;
  if (when === "openWorld")
    return `The rule ${pattern} forbids tools that may reach outside of their server, and this one may.`;
  return `The rule ${pattern} forbids this tool.`;
}

/** Whether a person has allowed, in this conversation, every tool that only reads. */
export async function allowsReads(
  { store }: Pick<BaseDeps, "store">,
  { userId, conversationId }: { userId: string; conversationId: string },
): Promise<boolean> {
  const conversation = await store.conversations.get(userId, conversationId);
  return conversation?.choice?.allowReads === true;
}

/** Whether a person has allowed this tool in the session of a program. */
export async function allowsInSession(
  { store }: Pick<BaseDeps, "store">,
  { userId, conversationId }: { userId: string; conversationId: string },
  qualifiedName: string,
): Promise<boolean> {
  const conversation = await store.conversations.get(userId, conversationId);
  return conversation?.choice?.allowed?.includes(qualifiedName) === true;
}
