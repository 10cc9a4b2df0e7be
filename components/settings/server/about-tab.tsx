"use client";

import { useRouter } from "next/navigation";
import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { DefinitionHistory } from "@/components/settings/servers/definition-history";
import { ServerCost } from "@/components/settings/servers/server-cost";
import { Button } from "@/components/ui/controls/button";
import { ForOwner } from "@/components/ui/words/account";
import { useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";

const RemoveDialog = lazy(() => import("@/components/settings/servers/remove-dialog"));

/** What the server says of itself, and the way to be rid of it. */
export default function AboutTab({ server, configPath }: { server: McpServerItem; configPath: string }) {
  const t = useTranslations("server.about");
  const words = useTranslations("settings.servers");
  const router = useRouter();
  const isManaged = useIsManaged(server);
  const [removing, setRemoving] = useState(false);
  const { title, instructions, era, protocolVersion } = server;
  return (
    <>
      <Section
        title={t("instructions")}
        note={era && protocolVersion && words(`era.${era}`, { version: protocolVersion })}
      >
        {title && (
          <p className="mb-2">
            {t("title")} <b className="font-semibold">{showInvisible(title)}</b>
          </p>
        )}
        <p className="max-w-150 whitespace-pre-wrap wrap-anywhere text-ink-2">
          {instructions === null ? t("noInstructions") : showInvisible(instructions)}
        </p>
      </Section>
      <ServerCost server={server} />
      <div className="py-4 rule-t">
        <DefinitionHistory server={server.name} />
        <ForOwner server={server}>
          <p className="mt-4">
            <Button icon="trash" disabled={isManaged} onClick={() => setRemoving(true)}>
              {words("remove")}
            </Button>
          </p>
        </ForOwner>
      </div>
      {removing && (
        <Suspense fallback={null}>
          <RemoveDialog
            server={server}
            configPath={configPath}
            onClose={() => setRemoving(false)}
            onRemoved={() => router.push("/settings/mcp")}
          />
        </Suspense>
      )}
    </>
  );
}
