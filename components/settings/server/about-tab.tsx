"use client";

import { useRouter } from "next/navigation";
import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { DefinitionHistory } from "@/components/settings/servers/definition-history";
import { ServerCost } from "@/components/settings/servers/server-cost";
import { Button } from "@/components/ui/button";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";

const RemoveDialog = lazy(() => import("@/components/settings/servers/remove-dialog"));

/** What the server says of itself, and the way to be rid of it. */
export default function AboutTab({ server, configPath }: { server: McpServerItem; configPath: string }) {
  const t = useTranslations("server.about");
  const words = useTranslations("settings.servers");
  const router = useRouter();
  const [removing, setRemoving] = useState(false);
  const { title, instructions, era, protocolVersion } = server;
  return (
    <div className="mt-4 max-w-150">
      {title && (
        <p>
          {t("title")} <b className="font-semibold">{showInvisible(title)}</b>
        </p>
      )}
      {era && protocolVersion && (
        <p className="text-ink-3">{words(`era.${era}`, { version: protocolVersion })}</p>
      )}
      <h2 className="mt-3 text-micro text-ink-3">{t("instructions")}</h2>
      <p className="whitespace-pre-wrap text-ink-2">
        {instructions === null ? t("noInstructions") : showInvisible(instructions)}
      </p>
      <div className="mt-3">
        <ServerCost server={server} />
      </div>
      <DefinitionHistory server={server.name} />
      <p className="mt-4">
        <Button icon="trash" onClick={() => setRemoving(true)}>
          {words("remove")}
        </Button>
      </p>
      {removing && (
        <Suspense fallback={null}>
          <RemoveDialog
            name={server.name}
            configPath={configPath}
            onClose={() => setRemoving(false)}
            onRemoved={() => router.push("/settings/mcp")}
          />
        </Suspense>
      )}
    </div>
  );
}
