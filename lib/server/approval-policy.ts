import type { Verdict } from "@/lib/agent/with-approval";
import type { ToolCall } from "@/lib/protocol/message";
import type { Deps } from "./deps";
import { readRules, ruleFor } from "./tool-rules";

const patienceMs = 10_000;

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
    // A server that reconnects is waited for, as its tools could be sent to again a moment later.
    const found = await deps.pool.toolWhenReady(call.name, AbortSignal.timeout(patienceMs));
    if (!found) return { deny: `${call.name} is not connected now.` };
    const { server, item } = found;
    const definition = item.hash;
    const allow = { allow: { definition } };
    // Read for each call: a rule that was made while the run waits must count.
    const rule = ruleFor(await readRules(deps, userId), server, item.name);
    if (rule?.effect === "deny") return { deny: `The rule ${rule.pattern} forbids this tool.` };
    if (item.definition === "changed") return { ask: "changed_definition", definition };
    const ask = { ask: "rule", definition } as const;
    if (allowed.has(call.name)) return allow;
    if (rule) return rule.effect === "allow" ? allow : ask;
    if (deps.env.TOOL_APPROVAL === "allow") return allow;
    return item.annotations.readOnlyHint ? allow : ask;
  };
}
