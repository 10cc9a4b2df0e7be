"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Field } from "@/components/ui/controls/field";
import { useSentence } from "@/components/ui/words/sentences";
import { canServe } from "@/lib/client/servers/servers";
import { useSettings } from "@/lib/client/settings/settings";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { ToolRow, toolColumns } from "./tool-row";
import { TryTool } from "./try-tool";
import { TwoParts } from "./two-parts";

/** With more tools than this there is a search field; it stays while it filters. */
const many = 15;

/** The tools with the rule for each, and a form to call the chosen one. */
export function ToolsTab({ server }: { server: McpServerItem }) {
  const t = useTranslations("server");
  const words = useTranslations("settings.servers");
  const settings = useSettings().data;
  const [chosen, setChosen] = useState<string | null>(null);
  const [find, setFind] = useState("");
  const { tools } = server;
  if (tools.length === 0)
    return (
      <>
        <p className="mt-4 text-ink-3">{words(canServe(server) ? "noTools" : "toolsWhenReady")}</p>
        <LeftOut faults={server.toolFaults} />
      </>
    );
  const shown = tools.filter((tool) =>
    `${tool.name} ${tool.title}`.toLowerCase().includes(find.toLowerCase()),
  );
  const tool = tools.find(({ name }) => name === chosen) ?? shown[0];
  return (
    <TwoParts
      isChosen={chosen !== null}
      onBack={() => setChosen(null)}
      list={
        <>
          {(tools.length > many || find !== "") && (
            <Field
              className="py-2"
              label={t("find")}
              hideLabel
              type="search"
              placeholder={t("find")}
              value={find}
              onChange={({ target }) => setFind(target.value)}
            />
          )}
          <div
            className={cn(
              "grid h-7 items-center gap-x-3 text-micro whitespace-nowrap text-ink-3 rule-b phone:gap-x-2",
              toolColumns,
            )}
            aria-hidden="true"
          >
            <span>{t("head.tool")}</span>
            <span className="text-right">{t("head.tokens")}</span>
            <span>{t("head.effect")}</span>
          </div>
          <ul aria-label={t("tabs.tools")}>
            {shown.map((each) => (
              <ToolRow
                key={each.name}
                server={server.name}
                tool={each}
                settings={settings}
                isChosen={each === tool}
                onChoose={setChosen}
              />
            ))}
          </ul>
          {shown.length === 0 && <p className="py-2 text-mach text-ink-3">{t("none")}</p>}
          <LeftOut faults={server.toolFaults} />
        </>
      }
    >
      {tool && <TryTool key={`${server.name} ${tool.hash}`} server={server} tool={tool} />}
    </TwoParts>
  );
}

/** Tools of the server that are offered to no model, with the reason. */
function LeftOut({ faults }: { faults: readonly string[] }) {
  const t = useTranslations("server");
  const inWords = useSentence();
  if (faults.length === 0) return null;
  return (
    <details className="py-3 text-mach">
      <summary className="text-shu">{t("leftOut", { count: faults.length })}</summary>
      <ul className="mt-1 text-ink-2 wrap-anywhere">
        {[...new Set(faults)].map((fault) => (
          <li key={fault}>{showInvisible(inWords(fault))}</li>
        ))}
      </ul>
    </details>
  );
}
