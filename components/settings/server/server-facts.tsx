"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { onlyRole } from "@/components/settings/edit-servers/entry-draft";
import { addressOf } from "@/components/settings/servers/server-words";
import { ForOwner, useAccount } from "@/components/ui/words/account";
import { costOf } from "@/lib/client/servers/context-cost";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** What there is to know at a glance, on one line where it fits. */
export function ServerFacts({ server }: { server: McpServerItem }) {
  const t = useTranslations("server.facts");
  const { transport, scope, protocolVersion, latencyMs, tools } = server;
  const role = onlyRole(server.config);
  const isAlone = useAccount() === null;
  const { tokens } = costOf(server);
  return (
    <dl className="mt-3 flex flex-wrap gap-x-8 gap-y-2 text-mach">
      {/* Members are not told how it is started or reached. */}
      <ForOwner server={server}>
        <Fact name={t(transport === "http" ? "address" : "command")}>
          <code
            className="block max-w-[min(360px,100%)] truncate text-[12px] leading-5"
            title={addressOf(server)}
          >
            {addressOf(server)}
          </code>
        </Fact>
      </ForOwner>
      <Fact name={t("protocol")}>{[protocolVersion, transport].filter(Boolean).join(", ")}</Fact>
      {/* What it remembers, it remembers for all of them. */}
      {!isAlone && scope === "shared" && <Fact name={t("sharing")}>{t(`shared.${role ?? "all"}`)}</Fact>}
      {!isAlone && scope === "user" && role && <Fact name={t("sharing")}>{t(`only.${role}`)}</Fact>}
      {!isAlone && scope === "user" && transport === "stdio" && (
        <Fact name={t("process")}>{t("processOfPerson")}</Fact>
      )}
      {latencyMs !== null && <Fact name={t("latency")}>{Math.round(latencyMs)} ms</Fact>}
      {tools.length > 0 && <Fact name={t("schemas")}>{t("tokens", { count: tokens })}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="max-w-full min-w-0">
      <dt className="text-micro text-ink-3">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
