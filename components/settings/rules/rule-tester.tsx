"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { VerdictReason } from "@/components/settings/verdict-reason";
import { fieldClass } from "@/components/ui/controls/field";
import { useGap } from "@/components/ui/words/use-gap";
import { useServers } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { SettingsItem } from "@/lib/protocol/settings";
import { judgeTool } from "@/lib/protocol/tool-rules";

/** What would happen if a tool were called now, and which rule says so. */
export function RuleTester({ settings }: { settings: SettingsItem }) {
  const t = useTranslations("settings.rules.tester");
  const gap = useGap();
  const { data } = useServers();
  const [chosen, setChosen] = useState("");
  const servers = (data?.items ?? []).filter(({ tools }) => tools.length > 0);
  const found = findTool(servers, chosen);
  const verdict = found && judgeTool(settings.rules, found.server, found.tool, settings.toolApproval);
  return (
    <Section title={t("title")} note={t("tool")}>
      <select
        aria-label={t("tool")}
        className={fieldClass()}
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
      >
        <option value="">{t("choose")}</option>
        {servers.map(({ name, tools }) => (
          <optgroup key={name} label={name}>
            {tools.map((tool) => (
              <option key={tool.qualifiedName} value={tool.qualifiedName}>
                {tool.name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p className="mt-2 min-h-6 text-mach" role="status">
        {verdict && (
          <>
            <b className="font-semibold">{t(`then.${verdict.effect}`)}</b>
            {gap}
            <VerdictReason because={verdict.because} />
          </>
        )}
      </p>
    </Section>
  );
}

function findTool(servers: readonly McpServerItem[], qualifiedName: string) {
  for (const { name, tools } of servers) {
    const tool = tools.find((one) => one.qualifiedName === qualifiedName);
    if (tool) return { server: name, tool };
  }
  return undefined;
}
