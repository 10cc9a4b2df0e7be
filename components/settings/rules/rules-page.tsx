"use client";

import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Rows, RowsHead } from "@/components/settings/rows";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { notify } from "@/components/ui/toast";
import { changeSettings, refreshSettings, useSettings } from "@/lib/client/settings/settings";
import type { SettingsItem, ToolRule } from "@/lib/protocol/settings";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { EffectChoice } from "./effect-choice";
import { Matches, RuleForm } from "./rule-form";
import { RuleTester } from "./rule-tester";

export function RulesPage() {
  const t = useTranslations("settings.rules");
  const { data, error } = useSettings();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {data ? (
        <>
          <Rules settings={data} />
          {data.rules.length === 0 && <p className="mt-3 text-mach text-ink-3">{t("none")}</p>}
          <div className="mt-8">
            <RuleForm rules={data.rules} />
            <RuleTester settings={data} />
          </div>
        </>
      ) : (
        <LoadState error={error} onRetry={refreshSettings} />
      )}
    </>
  );
}

function Rules({ settings }: { settings: SettingsItem }) {
  const t = useTranslations("settings.rules");
  const common = useTranslations("common");
  const act = useAct();
  const nameOf = ({ pattern, when, from }: ToolRule) => {
    const named = when ? t("when.named", { pattern, when: t(`when.${when}`) }) : pattern;
    return from ? t("from.named", { pattern: named, from: t("from.server", { server: from }) }) : named;
  };
  const remove = async (rule: ToolRule) => {
    const { rules } = settings;
    const without = rules.filter((other) => other !== rule);
    if (!(await act(() => changeSettings({ rules: without })))) return;
    notify(t("removed", { pattern: nameOf(rule) }), {
      label: common("undo"),
      run: () => act(() => changeSettings({ rules })),
    });
  };
  return (
    <Rows aria-label={t("title")}>
      <RowsHead columns={columns}>
        <span>{t("head.tool")}</span>
        <span>{t("head.effect")}</span>
        <span />
      </RowsHead>
      {settings.rules.map((rule) => (
        <li
          key={`${rule.pattern} ${rule.when} ${rule.effect} ${rule.from}`}
          className={cn(lineClass, columns)}
        >
          <span className="min-w-0">
            <Pattern pattern={rule.pattern} isWhole={!rule.when} />
            {rule.when && (
              <small className="block text-micro text-ink-2">{t(`when.only.${rule.when}`)}</small>
            )}
            {rule.from && (
              <small className="block text-micro text-ink-2 wrap-anywhere">
                {t("from.only", { server: showInvisible(rule.from) })}
              </small>
            )}
            <Matches rule={rule} />
          </span>
          <span className="slim:order-last slim:col-span-full">
            <EffectChoice
              label={t("effectOf", { pattern: nameOf(rule) })}
              isFlow={rule.from !== undefined}
              value={rule.effect}
              onChange={(effect) =>
                act(() =>
                  changeSettings({
                    rules: settings.rules.map((other) => (other === rule ? { ...rule, effect } : other)),
                  }),
                )
              }
            />
          </span>
          <IconButton
            icon="cross"
            iconSize={12}
            label={t("remove", { pattern: nameOf(rule) })}
            tipSide="right-edge"
            onClick={() => remove(rule)}
          />
        </li>
      ))}
      <li className={cn(lineClass, columns)}>
        <span>{t("otherwise")}</span>
        <span className="col-span-2 text-ink-2 slim:col-span-full">
          {t(settings.toolApproval === "ask" ? "otherwiseAsk" : "otherwiseAllow")}
        </span>
      </li>
    </Rows>
  );
}

const lineClass = "grid min-h-9 items-center gap-x-4 py-1.5 rule-t";
const columns =
  "grid-cols-[minmax(0,1fr)_minmax(0,1fr)_28px] phone:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_44px] slim:grid-cols-[minmax(0,1fr)_auto]";

/** `mcp:postgres:query` as "postgres · query", with the pattern itself where it is more than one tool. */
function Pattern({ pattern, isWhole }: { pattern: string; isWhole: boolean }) {
  const t = useTranslations("settings.rules");
  const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(pattern) ?? [];
  const plain = server && tool && !/[*?[\]{}]/.test(pattern);
  if (plain)
    return (
      <span className="wrap-anywhere">
        <b className="font-semibold">{server}</b> <span className="text-ink-3">·</span> {tool}
      </span>
    );
  return (
    <span className="wrap-anywhere">
      <code className="text-[12px]">{pattern}</code>
      {isWhole && server && tool === "*" && !server.includes("*") && (
        <small className="ml-2 text-micro text-ink-3">{t("every", { server })}</small>
      )}
    </span>
  );
}
