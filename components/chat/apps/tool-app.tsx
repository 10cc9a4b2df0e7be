"use client";

import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { Button } from "@/components/ui/controls/button";
import type { ToolView } from "@/lib/client/run/run-view";
import { hasRun } from "@/lib/client/run/tool-steps";
import { useIsAllowed } from "@/lib/client/servers/allowed";
import { useAppOf } from "@/lib/client/servers/servers";

const AppFrame = lazy(() => {
  // Our policy evaluates no strings, which the protocol's schemas would try first.
  const shared = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
  shared.__zod_globalConfig = { ...shared.__zod_globalConfig, jitless: true };
  return import("./app-frame");
});

/** The app that a server brings for the results of a tool, under the line of the call. */
export function ToolApp({ item }: { item: ToolView }) {
  const { server, tool } = toolName(item.call);
  const uri = useAppOf(server, tool);
  return uri === undefined ? null : <Stage item={item} server={server} tool={tool} uri={uri} />;
}

interface PlaceProps {
  item: ToolView;
  server: string;
  uri: string;
}

/** Nothing of a call reaches an app before the call may run: it is there while arguments are written only where nobody is asked. */
function Stage({ tool, ...place }: PlaceProps & { tool: string }) {
  const { item, server, uri } = place;
  const isAllowed = useIsAllowed(server, tool);
  return hasRun(item) || (isAllowed && item.state === "writing") ? <Place key={uri} {...place} /> : null;
}

/** Nothing of an app is fetched or run before a person clicks, as no browser can keep it from the network altogether. */
function Place({ item, server, uri }: PlaceProps) {
  const t = useTranslations("chat.app");
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <div className="mt-2 mb-3">
        <Button small onClick={() => setOpen(true)}>
          {t("open", { server })}
        </Button>
        <p className="mt-1 max-w-155 meta leading-4.5 text-pretty">{t("risk")}</p>
      </div>
    );
  return (
    <Suspense fallback={<p className="mt-2 mb-3 meta">{t("loading", { server })}</p>}>
      <AppFrame item={item} server={server} uri={uri} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
