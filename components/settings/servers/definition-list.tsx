"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { ForUser } from "@/components/ui/words/account";
import { serverActions } from "@/lib/client/servers/server-actions";
import type { McpDefinitionItem, McpServerItem } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { DefinitionDiff } from "./definition-diff";
import { DefinitionFlags } from "./definition-flags";
import { useDefinitions } from "./use-definitions";

/** The definitions of a server that differ from the accepted ones, each with what to do about it. */
export function DefinitionList({ server }: { server: McpServerItem }) {
  const t = useTranslations("definitions");
  const act = useAct();
  const items =
    useDefinitions(server.name)?.filter(({ state, blocked }) => state !== "pinned" || blocked) ?? [];
  const held = items.filter(({ blocked }) => !blocked);
  if (items.length === 0) return null;
  return (
    <section aria-label={t("title")} className="pb-4">
      <ul>
        {items.map((item) => (
          <Definition key={item.tool} server={server} item={item} isOnly={held.length === 1} />
        ))}
      </ul>
      <ForUser server={server}>
        {held.length > 1 && (
          <Button
            tone="ink"
            onClick={() => act(() => serverActions.acceptDefinitions(server.name, held.map(shownOf)))}
          >
            {t("acceptAll", { count: held.length })}
          </Button>
        )}
      </ForUser>
    </section>
  );
}

interface DefinitionProps {
  server: McpServerItem;
  item: McpDefinitionItem;
  /** The one that waits for a decision. */
  isOnly: boolean;
}

function Definition({ server, item, isOnly }: DefinitionProps) {
  const t = useTranslations("definitions");
  const act = useAct();
  const format = useFormatter();
  const { tool, state, blocked, accepted, present } = item;
  const since = accepted?.acceptedAt;
  return (
    <li aria-label={showInvisible(tool)} className="pt-2 pb-3 rule-t">
      <p>
        <b className="font-semibold wrap-anywhere">{showInvisible(tool)}</b>{" "}
        <b className="font-semibold text-shu">{t(blocked ? "blocked" : `state.${state}`)}</b>
        {since && (
          <span className="text-ink-3">
            {" "}
            {t("acceptedAt", { date: format.dateTime(new Date(since), dates) })}
          </span>
        )}
      </p>
      <p className="text-ink-2">{t(blocked ? "why.blocked" : `why.${state}`)}</p>
      {present && <DefinitionFlags server={server.name} definition={present.definition} />}
      {present && <DefinitionDiff before={accepted?.definition ?? null} now={present.definition} />}
      <ForUser server={server}>
        <p className="mt-2 flex flex-wrap gap-2">
          <Button
            tone={isOnly && !blocked ? "ink" : "outline"}
            aria-label={t("acceptOne", { tool, action: t(acceptWord(state)) })}
            onClick={() => act(() => serverActions.acceptDefinitions(server.name, [shownOf(item)]))}
          >
            {t(acceptWord(state))}
          </Button>
          {present && !blocked && (
            <Button
              aria-label={t("acceptOne", { tool, action: t("block") })}
              onClick={() => act(() => serverActions.blockDefinition(server.name, shownOf(item)))}
            >
              {t("block")}
            </Button>
          )}
        </p>
      </ForUser>
    </li>
  );
}

const dates = { dateStyle: "medium", timeStyle: "short" } as const;

const acceptWord = (state: McpDefinitionItem["state"]) => (state === "removed" ? "forget" : "accept");

/** What a tool that is gone is known by is the definition that was accepted. */
const shownOf = ({ tool, present, accepted }: McpDefinitionItem) => ({
  tool,
  hash: (present ?? accepted)?.hash ?? "",
});
