"use client";

import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Switch } from "@/components/ui/controls/switch";
import { ForOwner } from "@/components/ui/words/account";
import { serverActions } from "@/lib/client/servers/server-actions";
import { canServe, useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem, McpToolItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { DefinitionFlags } from "./definition-flags";

/** The tools with what they say of themselves, and whether models get them. */
export function ServerTools({
  server,
  tools = server.tools,
}: {
  server: McpServerItem;
  tools?: McpToolItem[];
}) {
  const t = useTranslations("settings.servers");
  if (server.tools.length === 0)
    return <p className="text-ink-3">{t(canServe(server) ? "noTools" : "toolsWhenReady")}</p>;
  return (
    <ul aria-label={t("tools")}>
      {tools.map((tool) => (
        <ToolLine key={tool.name} server={server} tool={tool} />
      ))}
    </ul>
  );
}

/** Words at the left, their switch at the right. */
export const toolLineClass =
  "row-height-14 grid grid-cols-[minmax(0,1fr)_32px] items-start gap-x-4 py-2 rule-t";

function ToolLine({ server, tool }: { server: McpServerItem; tool: McpToolItem }) {
  const t = useTranslations("settings.servers");
  const state = useTranslations("definitions");
  const isManaged = useIsManaged(server);
  const act = useAct();
  const { name, title, description, inputSchema, annotations, definition, blocked } = tool;
  const { readOnlyHint, destructiveHint } = annotations;
  return (
    <li className={toolLineClass}>
      <div className="min-w-0">
        <b className="font-semibold">{showInvisible(name)}</b>
        {readOnlyHint && <span className="ml-2 text-micro text-ink-3">{t("readOnly")}</span>}
        {!readOnlyHint && destructiveHint && (
          <span className="ml-2 text-micro text-ink-3">{t("destructive")}</span>
        )}
        {(blocked || definition !== "pinned") && (
          <b className="ml-2 text-micro font-semibold text-shu">
            {state(blocked ? "blocked" : `state.${definition}`)}
          </b>
        )}
        <p className="line-clamp-3 text-ink-2 wrap-anywhere">{showInvisible(description || (title ?? ""))}</p>
        <DefinitionFlags
          server={server.name}
          definition={{ name, title, description, inputSchema, annotations }}
        />
      </div>
      <ForOwner server={server}>
        <Switch
          checked={tool.enabled}
          disabled={isManaged}
          label={t("toolToggle", { name: tool.name })}
          onChange={(enabled) => act(() => serverActions.enableTool(server.name, tool.name, enabled))}
        />
      </ForOwner>
    </li>
  );
}
