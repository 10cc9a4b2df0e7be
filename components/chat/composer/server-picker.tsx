"use client";

import { useRouter } from "next/navigation";
import { memo } from "react";
import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { costOf } from "@/lib/client/servers/context-cost";
import { isSameSet } from "@/lib/client/servers/presets";
import { canServe, needsPerson, useServers } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { pickLook } from "./pick-look";
import { Gone, useIsThere } from "./preset-servers";
import { useContextCost, usedServers } from "./use-context-cost";
import { usePresetMenu } from "./use-preset-menu";
import type { SendChoices } from "./use-send-options";

/** How many servers and tools this conversation uses, and which. */
export const ServerPicker = memo(function ServerPicker({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer");
  const router = useRouter();
  const { data } = useServers();
  const servers = data?.items.filter(({ enabled }) => enabled) ?? [];
  const isUsed = ({ name }: McpServerItem) => options.servers === null || options.servers.includes(name);
  const used = usedServers(servers, options);
  const tools = used.reduce((sum, server) => sum + costOf(server).tools, 0);
  const cost = useContextCost(used, options);
  const names = servers.map(({ name }) => name);
  const chosen = options.servers ?? names;
  const isThere = useIsThere();
  const missing = chosen.filter((name) => !isThere(name));
  const presets = usePresetMenu(chosen, options.setServers);
  if (!data) return null;
  const toggle = (name: string) => {
    const now = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
    options.setServers(isSameSet(now, names) ? null : now);
  };
  const entries: MenuEntry[] = [
    ...presets.choices,
    { kind: "label", label: servers.length > 0 ? t("serversLabel") : t("noServers") },
    ...servers.map(
      (server): MenuEntry => ({
        kind: "choice",
        label: server.name,
        note: canServe(server) ? cost.noteOf(server) : needsPerson(server) ? t("needsYou") : t("notReady"),
        chosen: isUsed(server),
        onSelect: () => toggle(server.name),
      }),
    ),
    ...missing.map(
      (name): MenuEntry => ({
        kind: "choice",
        label: <Gone name={name} />,
        note: t("gone"),
        chosen: true,
        onSelect: () => toggle(name),
      }),
    ),
    ...cost.entries,
    { kind: "rule" },
    ...presets.tasks,
    { label: t("serverSettings"), icon: "plug", onSelect: () => router.push("/settings/mcp") },
  ];
  return (
    <>
      <Menu
        side="top"
        entries={entries}
        trigger={{
          className: pickLook,
          children: (
            <>
              <Icon name="plug" size={14} />
              {/* Rather less than a word that is cut: without the tools, then the number alone. */}
              <span className="truncate @max-[400px]/bar:sr-only">
                {t("servers", { count: used.length })}
                <span className="@max-[540px]/bar:hidden">{t("andTools", { count: tools })}</span>
              </span>
              <span aria-hidden="true" className="hidden @max-[400px]/bar:inline">
                {used.length}
              </span>
            </>
          ),
        }}
      />
      {presets.dialog}
    </>
  );
});
