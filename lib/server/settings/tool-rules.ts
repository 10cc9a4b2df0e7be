import type { ToolRule } from "@/lib/protocol/settings";
import { exactPattern, isWide } from "@/lib/protocol/tool-rules";
import type { BaseDeps } from "@/lib/server/base-deps";
import { unsetSettings } from "@/lib/server/contract/settings";
import { tellOwner } from "@/lib/store/bus";

/** The most rules that are kept; more is a mistake or an attack. */
const maxRules = 1000;

export const readRules = async ({ store }: Pick<BaseDeps, "store">, userId: string): Promise<ToolRule[]> =>
  (await store.settings.get<ToolRule[]>(userId, "rules")) ?? unsetSettings.rules;

/** Those for the tools of this one server, and about what it has returned; patterns that fit others too stay. */
export async function forgetRules(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  server: string,
): Promise<void> {
  const left = await store.settings.update(userId, "rules", (rules: ToolRule[] | undefined) =>
    rules?.filter(({ pattern, from }) => from !== server && !pattern.startsWith(exactPattern(server, ""))),
  );
  if (left) tellOwner(store.bus, userId, "settings");
}

/** Takes the place of those about the same with the same pattern; a wide one leaves those that hold under another condition. */
export async function addRule(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  rule: ToolRule,
): Promise<void> {
  await store.settings.update(userId, "rules", (rules: ToolRule[] = []) => [
    ...rules
      .filter(
        ({ pattern, when, from }) =>
          pattern !== rule.pattern || from !== rule.from || (isWide(pattern) && when !== rule.when),
      )
      .slice(1 - maxRules),
    rule,
  ]);
  tellOwner(store.bus, userId, "settings");
}
