import type { Verdict } from "@/lib/agent/with-approval";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { ToolCall } from "@/lib/protocol/message";
import { judgeTool } from "@/lib/protocol/tool-rules";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Env } from "@/lib/server/env";
import { readRules } from "./tool-rules";

interface PolicyDeps extends Pick<BaseDeps, "store"> {
  env: Pick<Env, "TOOL_APPROVAL">;
  pool: Pick<McpPool, "toolWhenReady">;
}

/**
 * Says for each call of a run whether it may go, is asked about or is refused. A changed definition asks whatever the
 * rules say; a tool that says it only reads passes when its definition is the accepted one.
 */
export function approvalPolicy(
  deps: PolicyDeps,
  userId: string,
  allowed: { has(qualifiedName: string): boolean },
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
        ? { deny: `The rule ${because.rule.pattern} forbids this tool.` }
        : { deny: "Its definition is not the one that the user accepted, and they keep it blocked." };
    if (because === "changed_definition") return { ask: because, definition };
    return effect === "allow" || allowed.has(call.name) ? allow : { ask: "rule", definition };
  };
}
