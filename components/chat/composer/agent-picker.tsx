"use client";

import { memo } from "react";
import { useLocale, useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { useSentence } from "@/components/ui/words/sentences";
import { useAgents } from "@/lib/client/conversation/agents";
import type { AgentItem } from "@/lib/protocol/agents";
import { pickLook } from "./pick-look";

export interface AgentPickerProps {
  /** Id of the one that the next message goes to. */
  agent: string | null;
  onChoose(id: string | null): void;
}

/** Which workflow agent answers the next message; typing `@` does the same. */
export const AgentPicker = memo(function AgentPicker({ agent, onChoose }: AgentPickerProps) {
  const t = useTranslations("chat.agents");
  const nameOf = useAgentName();
  const inWords = useSentence();
  const { data } = useAgents();
  const items = data?.items ?? [];
  const broken = data?.errors ?? [];
  if (items.length === 0 && broken.length === 0) return null;
  const chosen = items.find(({ id }) => id === agent);
  const entries: MenuEntry[] = [
    { kind: "choice", label: t("none"), chosen: !chosen, onSelect: () => onChoose(null) },
    ...items.map(
      (item): MenuEntry => ({
        kind: "choice",
        label: `@${item.id}`,
        note: nameOf(item),
        chosen: item === chosen,
        onSelect: () => onChoose(item.id),
      }),
    ),
  ];
  if (broken[0])
    entries.push({ kind: "label", label: t("broken", { count: broken.length, first: inWords(broken[0]) }) });
  return (
    <>
      <Menu
        side="top"
        entries={entries}
        trigger={{
          className: pickLook,
          "aria-label": chosen ? t("chosen", { name: `@${chosen.id}` }) : t("label"),
          children: <span className="truncate">{chosen ? `@${chosen.id}` : "@"}</span>,
        }}
      />
      {chosen && (
        <IconButton
          icon="cross"
          iconSize={12}
          className="-ml-1 h-6 w-6 phone:h-6 phone:w-6"
          label={t("remove", { name: `@${chosen.id}` })}
          onClick={() => onChoose(null)}
        />
      )}
    </>
  );
});

/** The name of an agent in the language of the page. */
export function useAgentName(): (item: AgentItem) => string {
  const locale = useLocale();
  return ({ name }) => (locale === "ja" ? name.ja : name.en);
}
