"use client";

import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { ServerState } from "@/components/settings/servers/server-state";
import { ringOf } from "@/components/settings/servers/server-words";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Switch } from "@/components/ui/controls/switch";
import { Dot, Ring } from "@/components/ui/ring";
import { ForOwner, ForUser } from "@/components/ui/words/account";
import { canRestart, serverActions } from "@/lib/client/servers/server-actions";
import { useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";

const ServerForm = lazy(() => import("@/components/settings/edit-servers/server-form"));

/** Name and state, and what is done with the server as a whole. */
export function ServerHead({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers");
  const act = useAct();
  const [editing, setEditing] = useState(false);
  const isManaged = useIsManaged(server);
  const ring = ringOf(server);
  const { name, status } = server;
  // What keeps it from working stands below with its next steps: they are not offered twice.
  const isFailed = status === "failed";
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h1 className="font-voice text-title wrap-anywhere">{name}</h1>
      <span className="flex items-center gap-2 pt-1.5 text-mach text-ink-3">
        {ring ? <Ring state={ring} size={16} /> : <Dot size={9} />}
        <ServerState server={server} inline />
      </span>
      <div className="ml-auto flex flex-wrap items-center gap-3">
        {canRestart(server) && !isFailed && (
          <ForUser server={server}>
            <Button onClick={() => act(() => serverActions.restart(name))}>{t("restart")}</Button>
          </ForUser>
        )}
        <ForOwner server={server}>
          {!isFailed && status !== "needs_login" && (
            <Button disabled={isManaged} onClick={() => setEditing(true)}>
              {t("edit")}
            </Button>
          )}
          <Switch
            checked={server.enabled}
            disabled={isManaged}
            label={t("toggle", { name })}
            words={t("on")}
            onChange={(enabled) => act(() => serverActions.enable(name, enabled))}
          />
        </ForOwner>
      </div>
      {editing && (
        <Suspense fallback={null}>
          <ServerForm server={server} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </header>
  );
}
