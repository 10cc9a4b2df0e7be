"use client";

import type { KeyboardEvent } from "react";
import { useTranslations } from "use-intl";
import { useIsAdmin } from "@/components/ui/words/account";
import type { McpServerItem } from "@/lib/protocol/mcp";

export const tabs = ["tools", "resources", "prompts", "log", "about"] as const;
export type Tab = (typeof tabs)[number];

export interface TabsProps {
  server: McpServerItem;
  tab: Tab;
  onOpen(tab: Tab): void;
}

/** The parts of the page; the arrows go from one to the next. */
export function Tabs({ server, tab, onOpen }: TabsProps) {
  const t = useTranslations("server.tabs");
  const counts: Partial<Record<Tab, number>> = {
    tools: server.tools.length,
    resources: server.resources,
    prompts: server.prompts,
  };
  // What a server writes may hold what is not for everybody.
  const isAdmin = useIsAdmin();
  const shown = tabs.filter((each) => isAdmin || each !== "log");
  const wordsOf = (each: Tab) => [t(each), counts[each]].filter((part) => part !== undefined).join(" ");
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = shown[(shown.indexOf(tab) + step + shown.length) % shown.length] as Tab;
    event.preventDefault();
    onOpen(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={server.name}
      className="mt-4 flex gap-5 overflow-x-auto text-mach rule-b [scrollbar-width:none]"
      onKeyDown={move}
    >
      {shown.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`tab-${each}`}
          aria-selected={each === tab}
          aria-controls="server-panel"
          tabIndex={each === tab ? 0 : -1}
          data-word={wordsOf(each)}
          className="keeps-bold flex-none leading-8 text-ink-3 hover:text-ink focus-visible:-outline-offset-2 aria-selected:font-semibold aria-selected:text-ink aria-selected:shadow-[inset_0_-2px_var(--ink)] phone:leading-11"
          onClick={() => onOpen(each)}
        >
          {wordsOf(each)}
        </button>
      ))}
    </div>
  );
}
