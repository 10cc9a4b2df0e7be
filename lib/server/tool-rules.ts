import type { ToolRule } from "@/lib/protocol/http";
import type { Deps } from "./deps";

/** The most rules that are kept; more is a mistake or an attack. */
const maxRules = 1000;

/** The rule that decides about a tool: any `deny` wins, else the one with the most literal characters. */
export function ruleFor(rules: readonly ToolRule[], server: string, tool: string): ToolRule | undefined {
  const name = exactPattern(server, tool);
  const matching = rules.filter(({ pattern }) => matchesGlob(pattern, name));
  return (
    matching.find(({ effect }) => effect === "deny") ??
    matching.toSorted((a, b) => literals(b.pattern) - literals(a.pattern))[0]
  );
}

/**
 * The pattern that fits this one tool: `mcp:<server>:<tool>`. Servers choose the names, so what means something in a
 * pattern (`*`, `:` and the backslash itself) stands behind a backslash.
 */
export function exactPattern(server: string, tool: string): string {
  const quote = (name: string) => name.replaceAll(/[\\*:]/g, "\\$&");
  return `mcp:${quote(server)}:${quote(tool)}`;
}

export const readRules = async ({ store }: Pick<Deps, "store">, userId: string): Promise<ToolRule[]> =>
  (await store.settings.get<ToolRule[]>(userId, "rules")) ?? [];

/** Keeps one rule per pattern, the newest. */
export function addRule(deps: Pick<Deps, "store" | "runs">, userId: string, rule: ToolRule): Promise<void> {
  return deps.runs.inTurn(`rules:${userId}`, async () => {
    const rules = (await readRules(deps, userId)).filter(({ pattern }) => pattern !== rule.pattern);
    await deps.store.settings.set(userId, "rules", [...rules.slice(1 - maxRules), rule]);
  });
}

/** `*` stands for any characters; a backslash takes its meaning away. Linear but for one step back at each star. */
function matchesGlob(pattern: string, name: string): boolean {
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

const literals = (pattern: string) => pattern.replaceAll(/(?<!\\)\*/g, "").length;
