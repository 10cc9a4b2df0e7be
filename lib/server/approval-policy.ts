import type { Verdict } from "@/lib/agent/with-approval";
import type { ToolRule } from "@/lib/protocol/http";
import type { ToolCall } from "@/lib/protocol/message";
import type { Deps } from "./deps";

/** The most rules that are kept; more is a mistake or an attack. */
export const maxRules = 1000;

/** The rule that decides about a tool: any `deny` wins, else the one with the most literal characters. */
export function ruleFor(rules: readonly ToolRule[], server: string, tool: string): ToolRule | undefined {
  const name = `mcp:${server}:${tool}`;
  const matching = rules.filter(({ pattern }) => matches(pattern, name));
  return (
    matching.find(({ effect }) => effect === "deny") ??
    matching.toSorted((a, b) => literals(b.pattern) - literals(a.pattern))[0]
  );
}

export const readRules = async ({ store }: Pick<Deps, "store">, userId: string): Promise<ToolRule[]> =>
  (await store.settings.get<ToolRule[]>(userId, "rules")) ?? [];

/** Keeps one rule per pattern, the newest. */
export async function addRule(deps: Pick<Deps, "store">, userId: string, rule: ToolRule): Promise<void> {
  const rules = (await readRules(deps, userId)).filter(({ pattern }) => pattern !== rule.pattern);
  await deps.store.settings.set(userId, "rules", [...rules.slice(1 - maxRules), rule]);
}

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
    if (rule) return rule.effect === "allow" ? "allow" : { ask: "rule" };
    if (allowed.has(call.name) || deps.env.TOOL_APPROVAL === "allow") return "allow";
    return item.annotations.readOnlyHint ? "allow" : { ask: "rule" };
  };
}

/** `*` stands for any characters; everything else for itself. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.split("*").map(RegExp.escape).join(".*");
  return new RegExp(`^${source}$`, "s").test(name);
}

const literals = (pattern: string) => pattern.replaceAll("*", "").length;
