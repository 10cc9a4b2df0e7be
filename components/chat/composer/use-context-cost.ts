"use client";

import { useFormatter, useTranslations } from "use-intl";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { useModel } from "@/lib/client/conversation/models";
import { costOf, costOfAll, isDeferred, withDeferral } from "@/lib/client/servers/context-cost";
import { canServe } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { SendChoices } from "./use-send-options";

export interface ContextCost {
  /** Tokens that the chosen model can read, and the part of it that is taken; null where that is not known. */
  window: number | null;
  share: number | null;
  /** Hardly anything else fits. */
  isFull: boolean;
  /** What one server takes, in words. */
  noteOf(server: McpServerItem): string;
  /** The sum, and behind one row a choice for each server whether its tools are described. */
  entries: MenuEntry[];
}

/** Those that a message goes out with now. */
export function usedServers(
  servers: readonly McpServerItem[],
  { servers: chosen }: Pick<SendChoices, "servers">,
): McpServerItem[] {
  return servers.filter(
    (server) => server.enabled && canServe(server) && (chosen === null || chosen.includes(server.name)),
  );
}

/** What the descriptions of these servers' tools take of what the chosen model can read. */
export function useContextCost(
  servers: readonly McpServerItem[],
  { model: modelId, deferred, setDeferred }: SendChoices,
): ContextCost {
  const t = useTranslations("chat.composer.cost");
  const format = useFormatter();
  const model = useModel(modelId);
  const window = model?.contextWindow ?? null;
  const { tokens, isTooMuch, isFull } = costOfAll(servers, window, deferred);
  const percent = (count: number) =>
    window === null ? null : format.number(count / window, { style: "percent", maximumFractionDigits: 1 });
  const withTools = servers.filter((server) => costOf(server).tools > 0);
  // The first number that a page writes takes it 8 ms, and while it is taken over no server is known.
  const sum = () => {
    const count = format.number(tokens);
    const part = percent(tokens);
    return part && model ? t("sum", { count, part, model: model.name }) : t("sumOnly", { count });
  };
  const entries: MenuEntry[] =
    withTools.length === 0
      ? []
      : [
          { kind: "label", label: sum() },
          ...(isTooMuch ? [{ kind: "label", label: t("tooMuch"), warns: isFull } as const] : []),
          {
            kind: "sub",
            label: t("searchMenu"),
            entries: [
              { kind: "label", label: t("searchLabel") },
              ...withTools.map(
                (server): MenuEntry => ({
                  kind: "choice",
                  label: server.name,
                  chosen: isDeferred(server, deferred),
                  onSelect: () => setDeferred(withDeferral(server, deferred, !isDeferred(server, deferred))),
                }),
              ),
            ],
          },
        ];
  const noteOf = (server: McpServerItem) => {
    const cost = costOf(server);
    const tools = t("tools", { count: cost.tools });
    if (cost.tools === 0) return tools;
    if (isDeferred(server, deferred)) return t("noteDeferred", { tools });
    return t("note", {
      tools,
      cost: percent(cost.tokens) ?? t("tokens", { count: format.number(cost.tokens) }),
    });
  };
  return { window, share: window === null ? null : tokens / window, isFull, noteOf, entries };
}
