"use client";

import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { ForAdmins, ForOwner, ForUser } from "@/components/ui/words/account";
import { canRestart, serverActions } from "@/lib/client/servers/server-actions";
import { canServe, useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { DefinitionHistory } from "./definition-history";
import { DefinitionList } from "./definition-list";
import { ServerCost } from "./server-cost";
import { ServerLog } from "./server-log";
import { ServerSecrets } from "./server-secrets";
import { ServerTools } from "./server-tools";
import { SignInFacts } from "./sign-in";

const ServerForm = lazy(() => import("@/components/settings/edit-servers/server-form"));
const RemoveDialog = lazy(() => import("./remove-dialog"));

export function ServerDetails({ server, configPath }: { server: McpServerItem; configPath: string }) {
  const t = useTranslations("settings.servers");
  const act = useAct();
  const [log, setLog] = useState(false);
  const [dialog, setDialog] = useState<"edit" | "remove" | null>(null);
  const close = () => setDialog(null);
  const isManaged = useIsManaged(server);
  // Then the line above has these buttons already.
  const isInNeed = server.status === "failed" || server.status === "needs_login";
  return (
    <div className="mt-3 animate-appear">
      <DefinitionList server={server} />
      <ServerTools server={server} />
      <ServerCost server={server} />
      {canServe(server) && (server.prompts > 0 || server.resources > 0) && (
        <p className="mt-2 text-micro text-ink-3">
          {t("facts", { prompts: server.prompts, resources: server.resources })}
        </p>
      )}
      {server.era && server.protocolVersion && (
        <p className="mt-2 text-micro text-ink-3">
          {t(`era.${server.era}`, { version: server.protocolVersion })}
        </p>
      )}
      {server.instructions && (
        <details className="mt-2">
          <summary className="text-micro text-ink-3">{t("instructions")}</summary>
          <p className="mt-1 max-w-[600px] whitespace-pre-wrap text-ink-2">{server.instructions}</p>
        </details>
      )}
      <ServerSecrets server={server} />
      <DefinitionHistory server={server.name} />
      <SignInFacts server={server} />
      <div className="mt-3 flex flex-wrap gap-2">
        {!isInNeed && canRestart(server) && (
          <ForUser server={server}>
            <Button onClick={() => act(() => serverActions.restart(server.name))}>{t("restart")}</Button>
          </ForUser>
        )}
        <ForOwner server={server}>
          {server.status === "ready" && server.transport === "stdio" && (
            <Button onClick={() => act(() => serverActions.sleep(server.name))}>{t("sleep")}</Button>
          )}
          {!isInNeed && (
            <>
              <Button disabled={isManaged} onClick={() => setDialog("edit")}>
                {t("edit")}
              </Button>
              <ForAdmins>
                <Button aria-expanded={log} onClick={() => setLog(!log)}>
                  {t("log")}
                </Button>
              </ForAdmins>
            </>
          )}
          <span className="flex-1" />
          <Button tone="quiet" icon="trash" disabled={isManaged} onClick={() => setDialog("remove")}>
            {t("remove")}
          </Button>
        </ForOwner>
      </div>
      {log && !isInNeed && (
        <div className="mt-3">
          <ServerLog name={server.name} />
        </div>
      )}
      <Suspense fallback={null}>
        {dialog === "edit" && <ServerForm server={server} onClose={close} />}
        {dialog === "remove" && <RemoveDialog server={server} configPath={configPath} onClose={close} />}
      </Suspense>
    </div>
  );
}
