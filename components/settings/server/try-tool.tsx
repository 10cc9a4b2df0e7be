"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Switch } from "@/components/ui/controls/switch";
import { ForOwner } from "@/components/ui/words/account";
import { useSavedRequests } from "@/lib/client/servers/saved-requests";
import { emptyOf, isObject } from "@/lib/client/servers/schema-draft";
import { serverActions } from "@/lib/client/servers/server-actions";
import { useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem, McpToolItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { SavedArguments } from "./saved-arguments";
import { ToolAbout } from "./tool-about";
import { ToolHints } from "./tool-hints";
import { TryForm } from "./try-form";
import { TryOutcome } from "./try-outcome";
import { useTry } from "./use-try";

/** A tool: what it says of itself, a form of its arguments, and what came back. */
export function TryTool({ server, tool }: { server: McpServerItem; tool: McpToolItem }) {
  const t = useTranslations("server.try");
  const words = useTranslations("settings.servers");
  const act = useAct();
  const isManaged = useIsManaged(server);
  const saved = useSavedRequests(server.name);
  const [start, setStart] = useState(() => ({ count: 0, args: firstArguments(tool) }));
  const trial = useTry(server.name, tool.name);
  const begin = (args: Record<string, unknown>) => setStart(({ count }) => ({ count: count + 1, args }));
  return (
    <section aria-label={t("title", { tool: tool.name })} className="pt-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="font-voice text-voice wrap-anywhere">
          {t("title", { tool: showInvisible(tool.name) })}
        </h2>
        <ForOwner server={server}>
          <Switch
            checked={tool.enabled}
            disabled={isManaged}
            label={words("toolToggle", { name: tool.name })}
            words={t("offered")}
            onChange={(enabled) => act(() => serverActions.enableTool(server.name, tool.name, enabled))}
          />
        </ForOwner>
      </div>
      <ToolAbout text={tool.description || (tool.title ?? "")} />
      <ToolHints annotations={tool.annotations} />
      <TryForm
        key={start.count}
        tool={tool}
        initial={start.args}
        isRunning={trial.isRunning}
        onRestart={begin}
        onCall={trial.run}
        onCancel={trial.cancel}
      >
        {(args) => <SavedArguments tool={tool.name} saved={saved} args={args} onUse={begin} />}
      </TryForm>
      <p className="mt-2 text-micro text-ink-3">{t("note")}</p>
      <TryOutcome trial={trial.state} server={server.name} />
    </section>
  );
}

function firstArguments({ inputSchema }: McpToolItem): Record<string, unknown> {
  const args = emptyOf({ type: "object", ...inputSchema }, inputSchema);
  return isObject(args) ? args : {};
}
