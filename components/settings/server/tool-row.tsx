"use client";

import { memo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { VerdictReason } from "@/components/settings/verdict-reason";
import { cn } from "@/components/ui/cn";
import { Choice } from "@/components/ui/controls/choice";
import { changeSettings } from "@/lib/client/settings/settings";
import type { McpToolItem } from "@/lib/protocol/mcp";
import type { SettingsItem, ToolRule } from "@/lib/protocol/settings";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { askedBy, exactPattern, judgeTool } from "@/lib/protocol/tool-rules";
import { chosenRowClass } from "./two-parts";

/** Tool, tokens, what happens when it is called. */
export const toolColumns = "grid-cols-[minmax(0,1fr)_52px_128px] phone:grid-cols-[minmax(0,1fr)_52px_132px]";

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
    <li
      className={cn(
        "relative row-height-9 grid min-h-9 items-center gap-x-3 rule-b phone:min-h-11 phone:gap-x-2",
        toolColumns,
        isChosen && chosenRowClass,
      )}
    >
      <button
        type="button"
        // The whole line is its target; only the choice lies above it.
        className={cn(
          "truncate text-left underline-offset-3 before:absolute before:inset-0 hover:underline hover:decoration-rule-2 focus-visible:-outline-offset-2",
          isChosen && "font-semibold",
          !tool.enabled && "text-ink-3",
        )}
        title={tool.name}
        aria-current={isChosen || undefined}
        onClick={() => onChoose(tool.name)}
      >
        {showInvisible(tool.name)}
        {(blocked || definition !== "pinned") && (
          <span className="text-shu"> {state(blocked ? "blocked" : `state.${definition}`)}</span>
        )}
      </button>
      <span className="text-right whitespace-nowrap text-ink-3">{format.number(tool.tokens)}</span>
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
      <div className="relative">
        <Choice
          label={t("effectOf", { tool: tool.name })}
          options={effects.map((value) => ({ value, label: t(`effect.${value}`) }))}
          value={effect}
          onChange={choose}
        />
      </div>
      {own && askedBy(own) !== effect && (
        <p className="col-span-full pb-2 text-micro wrap-anywhere text-ink-2" role="status">
          {t("overruled")} <VerdictReason because={because} />
        </p>
      )}
    </>
  );
}
