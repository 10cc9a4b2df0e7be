"use client";

import { useTranslations } from "use-intl";
import type { RuleVerdict } from "@/lib/protocol/tool-rules";

/** Why a tool meets what it meets when it is called, in words. */
export function VerdictReason({ because }: Pick<RuleVerdict, "because">) {
  const t = useTranslations("settings.rules.tester");
  if (typeof because === "object")
    return (
      <>
        {t.rich(`because.ruleWhen.${because.rule.when ?? "all"}`, {
          pattern: () => <code className="text-[12px]">{because.rule.pattern}</code>,
        })}
      </>
    );
  return <>{t(`because.${because}`)}</>;
}
