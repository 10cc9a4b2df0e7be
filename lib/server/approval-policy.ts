import type { Verdict } from "@/lib/agent/with-approval";
import type { ToolCall } from "@/lib/protocol/message";
import type { Deps } from "./deps";
import { readRules, ruleFor } from "./tool-rules";

/**
 * Says for each call of a run whether it may go, is asked about or is refused. A changed definition asks whatever the
 * rules say; a tool that says it only reads passes when its definition is the accepted one.
 */
export function approvalPolicy(
  deps: Pick<Deps, "pool" | "env" | "store">,
  userId: string,
  allowed: { has(qualifiedName: string): boolean },
): (call: ToolCall) => Promise<Verdict> {
  return async (call) => {
    const found = deps.pool.tool(call.name);
    if (!found) return "allow"; // nothing to send to: the tool box says so
    const { server, item } = found;
    // Read for each call: a rule that was made while the run waits must count.
    const rule = ruleFor(await readRules(deps, userId), server, item.name);
    if (rule?.effect === "deny") return { deny: `The rule ${rule.pattern} forbids this tool.` };
    if (item.definition === "changed") return { ask: "changed_definition" };
    if (allowed.has(call.name)) return "allow";
    if (rule) return rule.effect === "allow" ? "allow" : { ask: "rule" };
    if (deps.env.TOOL_APPROVAL === "allow") return "allow";
    return item.annotations.readOnlyHint ? "allow" : { ask: "rule" };
  };
}
