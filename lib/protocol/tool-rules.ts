import type { McpToolAnnotations, McpToolItem } from "./mcp";
import type { RuleCondition, ToolRule } from "./settings";

/** What happens when a tool is called, and why: the rule that decides, or the default where no rule does. */
export interface RuleVerdict {
  effect: "allow" | "ask" | "deny";
  because: { rule: ToolRule } | "blocked_definition" | "changed_definition" | "reads_only" | "default";
}

/**
 * The verdict about a call before anybody has allowed anything in its run. A definition that nobody has accepted asks
 * whatever the rules allow, one that was blocked is refused, and a tool that says it only reads passes when its
 * definition is the accepted one.
 */
export function judgeTool(
  rules: readonly ToolRule[],
  server: string,
  tool: Pick<McpToolItem, "name" | "definition" | "blocked" | "annotations">,
  otherwise: "ask" | "allow",
): RuleVerdict {
  const rule = ruleFor(rules, server, tool);
  if (rule?.effect === "deny") return { effect: "deny", because: { rule } };
  if (tool.blocked) return { effect: "deny", because: "blocked_definition" };
  if (tool.definition !== "pinned") return { effect: "ask", because: "changed_definition" };
  if (rule) return { effect: askedBy(rule), because: { rule } };
  if (otherwise === "allow") return { effect: "allow", because: "default" };
  return tool.annotations.readOnlyHint
    ? { effect: "allow", because: "reads_only" }
    : { effect: "ask", because: "default" };
}

/** What a rule does with one call; a plan is only another way of being asked. */
export const askedBy = ({ effect }: ToolRule): RuleVerdict["effect"] => (effect === "plan" ? "ask" : effect);

/** The verdict about a call whose arguments carry what the server `from` has returned, beside that about the call itself. */
export function judgeFlow(
  rules: readonly ToolRule[],
  from: string,
  server: string,
  tool: Pick<McpToolItem, "name" | "annotations">,
  otherwise: "ask" | "allow",
): RuleVerdict["effect"] {
  const rule = ruleFor(rules, server, tool, from);
  return rule ? askedBy(rule) : otherwise;
}

/**
 * The rule that decides about a tool, or with `from` about what that server has returned in its arguments: any `deny` wins,
 * then one for this tool alone, else the one with the most literal characters; of two that are equal in this, the one with a
 * condition.
 */
export function ruleFor(
  rules: readonly ToolRule[],
  server: string,
  tool: Pick<McpToolItem, "name" | "annotations">,
  from?: string,
): ToolRule | undefined {
  const name = exactPattern(server, tool.name);
  const matching = rules.filter(
    (rule) => rule.from === from && matchesGlob(rule.pattern, name) && meets(tool, rule.when),
  );
  const rank = ({ pattern }: ToolRule) => (pattern === name ? Number.POSITIVE_INFINITY : literals(pattern));
  return (
    matching.find(({ effect }) => effect === "deny") ??
    matching.toSorted((a, b) => compare(rank(b), rank(a)) || compare(+!!b.when, +!!a.when))[0]
  );
}

/** Whether the annotations of a tool meet a condition, with the defaults of the specification for what they leave out. */
export function meets(
  { annotations }: { annotations: McpToolAnnotations },
  when: RuleCondition | undefined,
): boolean {
  switch (when) {
    case "destructive":
      return annotations.readOnlyHint !== true && annotations.destructiveHint !== false;
    case "openWorld":
      return annotations.openWorldHint !== false;
    case undefined:
      return true;
  }
}

/**
 * The pattern that fits this one tool: `mcp:<server>:<tool>`. Servers choose the names, so what means something in a
 * pattern (`*`, `:` and the backslash itself) is escaped by a backslash.
 */
export function exactPattern(server: string, tool: string): string {
  const quote = (name: string) => name.replaceAll(/[\\*:]/g, "\\$&");
  return `mcp:${quote(server)}:${quote(tool)}`;
}

/** The pattern that fits all tools of a server, those of tomorrow too. */
export const serverPattern = (server: string): string => `${exactPattern(server, "")}*`;

/** Whether a pattern can fit more than one tool. */
export const isWide = (pattern: string): boolean => literals(pattern) < pattern.length;

/** `*` matches any characters; a backslash takes its meaning away. Linear but for one step back at each star. */
export function matchesGlob(pattern: string, name: string): boolean {
  const parts = pattern.match(/\\[\s\S]|[\s\S]/g) ?? [];
  const letters = name.match(/\\[\s\S]|[\s\S]/g) ?? [];
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < letters.length; ) {
    if (parts[at] === "*") {
      star = at++;
      resume = index;
    } else if (parts[at] === letters[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  return parts.slice(at).every((part) => part === "*");
}

const compare = (a: number, b: number) => (a === b ? 0 : a - b);
const literals = (pattern: string) => pattern.replaceAll(/(?<!\\)\*/g, "").length;
