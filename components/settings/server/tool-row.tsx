"use client";

import { memo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { VerdictReason } from "@/components/settings/verdict-reason";
import { cn } from "@/components/ui/cn";
import { changeSettings } from "@/lib/client/settings/settings";
import type { SettingsItem, ToolRule } from "@/lib/protocol/http";
import type { McpToolItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { exactPattern, judgeTool } from "@/lib/protocol/tool-rules";

const effects = ["allow", "ask", "deny"] as const;

export interface ToolRowProps {
  server: string;
  tool: McpToolItem;
  settings: SettingsItem | undefined;
  isChosen: boolean;
  onChoose(tool: string): void;
}

/** A tool on one line: its cost, and what happens when a model calls it. */
export const ToolRow = memo(function ToolRow({ server, tool, settings, isChosen, onChoose }: ToolRowProps) {
  const state = useTranslations("definitions");
  const format = useFormatter();
  const { definition, blocked } = tool;
  return (
    <li className={cn("tool-row", isChosen && "cur", !tool.enabled && "off")}>
      <button
        type="button"
        className="tool-name"
        aria-current={isChosen || undefined}
        onClick={() => onChoose(tool.name)}
      >
        {showInvisible(tool.name)}
        {(blocked || definition !== "pinned") && (
          <span className="text-shu"> {state(blocked ? "blocked" : `state.${definition}`)}</span>
        )}
      </button>
      <span className="num">{format.number(tool.tokens)}</span>
      {settings ? <WhenCalled server={server} tool={tool} settings={settings} /> : <span />}
    </li>
  );
});

/** The verdict as it is in force; choosing another makes a rule for this one tool, and where that is not what decides, it says what does. */
function WhenCalled({
  server,
  tool,
  settings,
}: {
  server: string;
  tool: McpToolItem;
  settings: SettingsItem;
}) {
  const t = useTranslations("server");
  const act = useAct();
  const { effect, because } = judgeTool(settings.rules, server, tool, settings.toolApproval);
  const pattern = exactPattern(server, tool.name);
  const own = settings.rules.find((rule) => rule.pattern === pattern);
  const choose = (next: ToolRule["effect"]) => {
    const others = settings.rules.filter((rule) => rule.pattern !== pattern);
    void act(() => changeSettings({ rules: [...others, { pattern, effect: next }] }));
  };
  return (
    <>
      <fieldset className="tri" aria-label={t("effectOf", { tool: tool.name })}>
        {effects.map((each) => (
          <label key={each}>
            <input
              type="radio"
              className="sr-only"
              name={`effect ${tool.name}`}
              checked={each === effect}
              onChange={() => choose(each)}
            />
            {t(`effect.${each}`)}
          </label>
        ))}
      </fieldset>
      {own && own.effect !== effect && (
        <p className="tool-overruled" role="status">
          {t("overruled", { effect: t(`effect.${own.effect}`) })} <VerdictReason because={because} />
        </p>
      )}
    </>
  );
}
