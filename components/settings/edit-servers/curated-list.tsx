"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Rows } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { serverActions } from "@/lib/client/servers/server-actions";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { CommandWords } from "./command-words";
import { type CuratedServer, curatedServers } from "./curated";

/** Servers that ship with us and are not set up: the exact command is shown, and the click that adds it approves it. */
export function CuratedList({ servers }: { servers: readonly McpServerItem[] }) {
  const t = useTranslations("settings.servers.curated");
  const names = new Set(servers.map(({ name }) => name));
  const missing = curatedServers.filter(({ name }) => !names.has(name));
  if (missing.length === 0) return null;
  return (
    <div className="mt-8">
      <Section title={t("title")} note={t("lede")}>
        <Rows inSection>
          {missing.map((server) => (
            <Line key={server.name} server={server} />
          ))}
        </Rows>
      </Section>
    </div>
  );
}

function Line({ server: { name, config } }: { server: CuratedServer }) {
  const t = useTranslations("settings.servers.curated");
  const act = useAct();
  const [busy, setBusy] = useState(false);
  const add = async () => {
    setBusy(true);
    await act(() => serverActions.addApproved(name, config));
    setBusy(false);
  };
  return (
    <li className="flex items-start gap-4 py-3 rule-t first:pt-0">
      <div className="min-w-0 flex-1">
        <b className="font-semibold">{name}</b>
        <p className="text-ink-2">{t(`about.${name}`)}</p>
        <div className="text-ink-3">
          <CommandWords config={config} />
        </div>
      </div>
      <Button disabled={busy} aria-label={t("addName", { name })} onClick={add}>
        {t("add")}
      </Button>
    </li>
  );
}
