"use client";

import { useTranslations } from "use-intl";
import type { PlanView } from "@/lib/client/run/plan-view";
import { ownValue } from "@/lib/client/servers/schema-draft";
import type { PlanOutside } from "@/lib/protocol/plan";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** Puts a call into the plan that it is outside of. */
export const addKeys = "P";

const maxValue = 200;

/** What keeps a call out of the plan that holds, and what the plan says in its place. */
export function OutsidePlan({ outside, plan }: { outside: PlanOutside; plan: PlanView | undefined }) {
  const t = useTranslations("chat.card.plan.outside");
  const names = outside.why === "arguments" ? outside.arguments : [];
  const fixed = "step" in outside ? plan?.steps[outside.step]?.fixed : undefined;
  return (
    <div className="mb-2 text-mach text-ink-2">
      <p>{t(outside.why)}</p>
      {names.map((name) => (
        <p key={name} className="wrap-anywhere">
          <code className="text-[12px] text-ink">{showInvisible(name)}</code>{" "}
          {t.rich("says", {
            u: (words) => (
              <span className="text-ink underline decoration-shu decoration-2 underline-offset-3">
                {words}
              </span>
            ),
            value: showInvisible((JSON.stringify(ownValue(fixed ?? {}, name)) ?? "…").slice(0, maxValue)),
          })}
        </p>
      ))}
    </div>
  );
}
