"use client";

import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { useAct } from "@/components/settings/use-act";
import { IconButton } from "@/components/ui/button";
import { notify } from "@/components/ui/toast";
import { changeSettings, refreshSettings, useSettings } from "@/lib/client/settings/settings";
import type { SettingsItem, ToolRule } from "@/lib/protocol/http";
import { EffectSelect } from "./effect-select";
import { Matches, RuleForm } from "./rule-form";
import { RuleTester } from "./rule-tester";

export function RulesPage() {
  const t = useTranslations("settings.rules");
  const { data, error } = useSettings();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {data ? <Rules settings={data} /> : <LoadState error={error} onRetry={refreshSettings} />}
      {data?.rules.length === 0 && <p className="lede mt-3">{t("none")}</p>}
      {data && <RuleForm rules={data.rules} />}
      {data && <RuleTester settings={data} />}
    </>
  );
}

function Rules({ settings }: { settings: SettingsItem }) {
  const t = useTranslations("settings.rules");
  const common = useTranslations("common");
  const act = useAct();
  const remove = async (rule: ToolRule) => {
    const { rules } = settings;
    const without = rules.filter((other) => other !== rule);
    if (!(await act(() => changeSettings({ rules: without })))) return;
    notify(t("removed", { pattern: rule.pattern }), {
      label: common("undo"),
      run: () => act(() => changeSettings({ rules })),
    });
  };
  return (
    <ul className="rows">
      <li className="rows-head rule-line" aria-hidden="true">
        <span>{t("head.tool")}</span>
        <span>{t("head.effect")}</span>
        <span />
      </li>
      {settings.rules.map((rule) => (
        <li key={`${rule.pattern} ${rule.effect}`} className="rule-line min-h-9 py-1">
          <span className="min-w-0">
            <Pattern pattern={rule.pattern} />
            <Matches pattern={rule.pattern} />
          </span>
          <EffectSelect
            label={t("effectOf", { pattern: rule.pattern })}
            value={rule.effect}
            onChange={(effect) =>
              act(() =>
                changeSettings({
                  rules: settings.rules.map((other) => (other === rule ? { ...rule, effect } : other)),
                }),
              )
            }
          />
          <IconButton
            icon="cross"
            iconSize={12}
            label={t("remove", { pattern: rule.pattern })}
            tipSide="right-edge"
            onClick={() => remove(rule)}
          />
        </li>
      ))}
      <li className="rule-line min-h-9 py-1">
        <span>{t("otherwise")}</span>
        <span className="text-ink-2">
          {t(settings.toolApproval === "ask" ? "otherwiseAsk" : "otherwiseAllow")}
        </span>
        <span />
      </li>
    </ul>
  );
}

/** `mcp:postgres:query` as "postgres · query", with the pattern itself where it is more than one tool. */
function Pattern({ pattern }: { pattern: string }) {
  const t = useTranslations("settings.rules");
  const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(pattern) ?? [];
  const plain = server && tool && !/[*?[\]{}]/.test(pattern);
  if (plain)
    return (
      <span className="[overflow-wrap:anywhere]">
        <b className="font-semibold">{server}</b> <span className="text-ink-3">·</span> {tool}
      </span>
    );
  return (
    <span className="[overflow-wrap:anywhere]">
      <code className="text-[12px]">{pattern}</code>
      {server && tool === "*" && !server.includes("*") && (
        <small className="ml-2 text-micro text-ink-3">{t("every", { server })}</small>
      )}
    </span>
  );
}
