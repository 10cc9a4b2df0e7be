"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";
import { Menu, type MenuEntry } from "@/components/ui/menu";
import { costOf } from "@/lib/client/context-cost";
import { canServe, needsPerson, useServers } from "@/lib/client/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { useContextCost } from "./use-context-cost";
import type { SendChoices } from "./use-send-options";

/** How many servers and tools this conversation uses, and which. */
export function ServerPicker({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer");
  const router = useRouter();
  const { data } = useServers();
  const servers = data?.items.filter(({ enabled }) => enabled) ?? [];
  const isUsed = ({ name }: McpServerItem) => options.servers === null || options.servers.includes(name);
  const used = servers.filter((server) => canServe(server) && isUsed(server));
  const tools = used.reduce((sum, server) => sum + costOf(server).tools, 0);
  const cost = useContextCost(used, options);
  if (!data) return null;
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
        note: canServe(server) ? cost.noteOf(server) : needsPerson(server) ? t("needsYou") : t("notReady"),
        chosen: isUsed(server),
        onSelect: () => toggle(server),
      }),
    ),
    ...cost.entries,
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
              {cost.part && (
                <span className={cost.isTooMuch ? "text-shu" : "phone:hidden"}>
                  {t.rich("cost.and", {
                    part: cost.part,
                    of: (words) => <span className="phone:hidden">{words}</span>,
                  })}
                </span>
              )}
            </span>
          </>
        ),
      }}
    />
  );
}
