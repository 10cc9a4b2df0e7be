"use client";

import { useTranslations } from "use-intl";
import { NearLink } from "@/components/ui/near-link";
import { useIsAdmin } from "@/components/ui/words/account";
import { useGap } from "@/components/ui/words/use-gap";
import { countServers, useServers } from "@/lib/client/servers/servers";

/** Over the message field of a new conversation: what is ready. */
export function Welcome() {
  const t = useTranslations("chat.empty");
  return (
    <div className="mx-auto mt-auto w-full max-w-[728px] px-6 phone:px-4">
      <h1 className="font-voice text-hero">{t("title")}</h1>
      <p className="text-pretty meta">
        <ServersReady />
      </p>
    </div>
  );
}

function ServersReady() {
  const t = useTranslations("chat.empty");
  const gap = useGap();
  const { data } = useServers();
  const isAdmin = useIsAdmin();
  if (!data) return <>{"\u00a0"}</>;
  const { ready, needy, tools } = countServers(data.items);
  return (
    <>
      {ready > 0 ? t("ready", { count: ready, tools }) : t("noneReady")}
      {gap}
      {!isAdmin ? null : needy > 0 ? (
        <NearLink href="/settings/mcp" className="text-shu">
          {t("needYou", { count: needy })}
        </NearLink>
      ) : (
        ready === 0 && <NearLink href="/settings/mcp">{t("addServer")}</NearLink>
      )}
    </>
  );
}
