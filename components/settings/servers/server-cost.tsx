"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Switch } from "@/components/ui/controls/switch";
import { ForOwner } from "@/components/ui/words/account";
import { readChoice } from "@/lib/client/conversation/drafts";
import { useModel } from "@/lib/client/conversation/models";
import { costOf, isDeferred } from "@/lib/client/servers/context-cost";
import { serverActions } from "@/lib/client/servers/server-actions";
import { useIsManaged } from "@/lib/client/servers/servers";
import { mostPart } from "@/lib/protocol/count-tokens";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { toolLineClass } from "./server-tools";

/** What the descriptions of a server's tools take of what the model can read, and one click to spare it. */
export function ServerCost({ server }: { server: McpServerItem }) {
  const t = useTranslations("settings.servers.cost");
  const format = useFormatter();
  const act = useAct();
  const isManaged = useIsManaged(server);
  const model = useModel(readChoice("model"));
  const { tokens } = costOf(server);
  if (tokens === 0) return null;
  const window = model?.contextWindow;
  const part = window ? tokens / window : null;
  const deferred = isDeferred(server);
  const isTooMuch = !deferred && part !== null && part > mostPart;
  const count = format.number(tokens);
  return (
    <div className={toolLineClass}>
      <p className="min-w-0">
        <b className="font-semibold">{t("title")}</b>{" "}
        <span className="text-ink-2">
          {part === null || !model
            ? t("tokens", { count })
            : t("part", {
                count,
                part: format.number(part, { style: "percent", maximumFractionDigits: 1 }),
                model: model.name,
              })}
        </span>
        <span className={isTooMuch ? "block text-shu" : "block text-ink-3"}>
          {isTooMuch ? t("tooMuch", { part: mostPart }) : t(deferred ? "deferred" : "hint")}
        </span>
      </p>
      <ForOwner server={server}>
        <Switch
          checked={deferred}
          disabled={isManaged}
          label={t("toggle", { name: server.name })}
          onChange={(on) => act(() => serverActions.defer(server.name, on))}
        />
      </ForOwner>
    </div>
  );
}
