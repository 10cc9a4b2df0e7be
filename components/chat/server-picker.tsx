"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";
import { Menu, type MenuEntry } from "@/components/ui/menu";
import { canServe, needsPerson, useServers } from "@/lib/client/servers";
import type { McpServerItem } from "@/lib/protocol/http";
import type { SendChoices } from "./use-send-options";

/** How many servers and tools this conversation uses, and which. */
export function ServerPicker({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer");
  const router = useRouter();
  const { data } = useServers();
  if (!data) return null;
  const servers = data.items.filter(({ enabled }) => enabled);
  const isUsed = ({ name }: McpServerItem) => options.servers === null || options.servers.includes(name);
  const used = servers.filter((server) => canServe(server) && isUsed(server));
  const tools = used.flatMap((server) => server.tools.filter(({ enabled }) => enabled)).length;
  const toggle = (server: McpServerItem) => {
    const now = servers
      .filter((other) => (other === server ? !isUsed(other) : isUsed(other)))
      .map(({ name }) => name);
    options.setServers(now.length === servers.length ? null : now);
  };
  const entries: MenuEntry[] = [
    { kind: "label", label: servers.length > 0 ? t("serversLabel") : t("noServers") },
    ...servers.map(
      (server): MenuEntry => ({
        kind: "choice",
        label: server.name,
        note: canServe(server)
          ? t("tools", { count: server.tools.length })
          : needsPerson(server)
            ? t("needsYou")
            : t("notReady"),
        chosen: isUsed(server),
        onSelect: () => toggle(server),
      }),
    ),
    { kind: "rule" },
    { label: t("serverSettings"), icon: "plug", onSelect: () => router.push("/settings/mcp") },
  ];
  return (
    <Menu
      side="top"
      entries={entries}
      trigger={{
        className: "pick",
        children: (
          <>
            <Icon name="plug" size={14} />
            <span>
              {t("servers", { count: used.length })}
              <span className="phone:hidden">{t("andTools", { count: tools })}</span>
            </span>
          </>
        ),
      }}
    />
  );
}
