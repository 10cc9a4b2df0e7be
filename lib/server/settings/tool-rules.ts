import type { ToolRule } from "@/lib/protocol/http";
import { exactPattern } from "@/lib/protocol/tool-rules";
import type { Deps } from "@/lib/server/deps";

/** The most rules that are kept; more is a mistake or an attack. */
const maxRules = 1000;

export const readRules = async ({ store }: Pick<Deps, "store">, userId: string): Promise<ToolRule[]> =>
  (await store.settings.get<ToolRule[]>(userId, "rules")) ?? [];

/** Those for the tools of this one server; patterns that fit others too stay. */
export function forgetRules(
  deps: Pick<Deps, "store" | "runs">,
  userId: string,
  server: string,
): Promise<void> {
  return deps.runs.inTurn(`rules:${userId}`, async () => {
    const rules = await readRules(deps, userId);
    const others = rules.filter(({ pattern }) => !pattern.startsWith(exactPattern(server, "")));
    if (others.length < rules.length) await deps.store.settings.set(userId, "rules", others);
  });
}

/** Keeps one rule per pattern, the newest. */
export function addRule(deps: Pick<Deps, "store" | "runs">, userId: string, rule: ToolRule): Promise<void> {
  return deps.runs.inTurn(`rules:${userId}`, async () => {
    const rules = (await readRules(deps, userId)).filter(({ pattern }) => pattern !== rule.pattern);
    await deps.store.settings.set(userId, "rules", [...rules.slice(1 - maxRules), rule]);
  });
}
