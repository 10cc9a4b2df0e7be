"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAgents } from "@/lib/client/agents";
import type { AgentItem } from "@/lib/protocol/http";
import { useAgentName } from "./agent-picker";

export interface Suggestions {
  items: readonly AgentItem[];
  /** Which of them Enter takes. */
  at: number;
  /** Whether it was for the list. */
  onKey(event: React.KeyboardEvent): boolean;
  take(item: AgentItem): void;
  /** What a message means that begins with `@name`; null for one that is not sent, as nothing stands behind the name. */
  read(message: string): { agent?: string; text: string } | null;
}

/** What `@…` at the start of a message can mean; a list to go through with the arrows. */
export function useSuggestions(
  text: string,
  onChoose: (id: string) => void,
  setText: (text: string) => void,
): Suggestions {
  const { data } = useAgents();
  const typed = /^@([\w-]*)$/.exec(text)?.[1]?.toLowerCase();
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const isOpen = typed !== undefined && closedFor !== text;
  const items = isOpen ? (data?.items ?? []).filter(({ id }) => id.toLowerCase().startsWith(typed)) : [];
  const here = Math.min(at, Math.max(items.length - 1, 0));
  const take = ({ id }: AgentItem) => {
    onChoose(id);
    setText("");
    setAt(0);
  };
  return {
    items,
    at: here,
    take,
    read: (message) => {
      const [, id, rest = ""] = /^@([\w-]+)(?:\s+([\s\S]*))?$/.exec(message) ?? [];
      if (id === undefined) return { text: message };
      const isKnown = data?.items.some((item) => item.id === id);
      if (!isKnown) return data || rest !== "" ? { text: message } : null;
      if (rest !== "") return { agent: id, text: rest };
      onChoose(id);
      setText("");
      return null;
    },
    onKey: (event) => {
      const item = items[here];
      if (!item || event.nativeEvent.isComposing) return false;
      const { key } = event;
      if (key === "ArrowDown" || key === "ArrowUp")
        setAt((here + (key === "ArrowDown" ? 1 : items.length - 1)) % items.length);
      else if (key === "Enter" || key === "Tab") take(item);
      else if (key === "Escape") setClosedFor(text);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

export function AgentSuggestions({ id, suggestions }: { id: string; suggestions: Suggestions }) {
  const t = useTranslations("chat.agents");
  const nameOf = useAgentName();
  const { items, at, take } = suggestions;
  if (items.length === 0) return null;
  return (
    <div id={id} role="listbox" aria-label={t("suggest")} className="suggest">
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message field has the focus and takes the keys
        <div
          key={item.id}
          id={`${id}-${item.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="suggest-item"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(item)}
        >
          <b>@{item.id}</b> <span>{nameOf(item)}</span>
        </div>
      ))}
    </div>
  );
}
