"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/button";
import { serverActions } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { type CuratedServer, curatedServers } from "./curated";
import { quote } from "./entry-draft";

/** Servers that ship with us and are not set up: the exact command is shown, and the click that adds it approves it. */
export function CuratedList({ servers }: { servers: readonly McpServerItem[] }) {
  const t = useTranslations("settings.servers.curated");
  const names = new Set(servers.map(({ name }) => name));
  const missing = curatedServers.filter(({ name }) => !names.has(name));
  if (missing.length === 0) return null;
  return (
    <section aria-label={t("title")} className="mt-10">
      <h2 className="font-voice text-[18px] leading-7">{t("title")}</h2>
      <p className="text-mach text-ink-2">{t("lede")}</p>
      <ul className="rows">
        {missing.map((server) => (
          <Line key={server.name} server={server} />
        ))}
      </ul>
    </section>
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
    <li className="flex items-start gap-4 py-3">
      <div className="min-w-0 flex-1">
        <b className="font-semibold">{name}</b>
        <p className="text-ink-2">{t(`about.${name}`)}</p>
        <code className="text-[12px] text-ink-3 [overflow-wrap:anywhere]">
          {[config.command ?? "", ...(config.args ?? [])].map(quote).join(" ")}
          {Object.entries(config.env ?? {}).map(([key, value]) => ` ${key}=${value}`)}
        </code>
      </div>
      <Button disabled={busy} aria-label={t("addName", { name })} onClick={add}>
        {t("add")}
      </Button>
    </li>
  );
}
