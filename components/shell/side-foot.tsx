"use client";

import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";
import { Key } from "@/components/ui/key";
import { NearLink } from "@/components/ui/near-link";
import { useIsAdmin } from "@/components/ui/words/account";
import { countServers, useServers } from "@/lib/client/servers/servers";

/** How many servers are ready, and how many of them need somebody. */
export function SideFoot() {
  const t = useTranslations("shell");
  const { data, error } = useServers();
  const servers = data?.items ?? [];
  const counts = countServers(servers);
  const { ready, off } = counts;
  // Members can do nothing about it.
  const needy = useIsAdmin() ? counts.needy : 0;
  const count = servers.length - off;
  return (
    <footer className="flex-none p-2 rule-t">
      <NearLink href="/settings/mcp" className="side-row">
        <span>
          <Icon name="plug" size={14} />
        </span>
        <span className="truncate">
          {/* Both numbers are read without being cut: beside the second, the plug says what the first counts. */}
          {needy > 0 && <span aria-hidden="true">{t("serversReadyBrief", { ready, count })}</span>}
          <span className={needy > 0 ? "sr-only" : undefined}>
            {data
              ? t(count ? "serversReady" : "serversNone", { ready, count })
              : error
                ? t("serversFailed")
                : t("servers")}
          </span>
        </span>
        {needy > 0 && <span className="text-micro text-shu">{t("needYou", { count: needy })}</span>}
      </NearLink>
      <NearLink href="/settings" className="side-row" aria-keyshortcuts="Control+. Meta+.">
        <span>
          <Icon name="settings" size={14} />
        </span>
        <span className="truncate">{t("settings")}</span>
        <Key keys="Mod+." />
      </NearLink>
    </footer>
  );
}
