"use client";

import { type KeyboardEvent, type ReactNode, useCallback, useRef, useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { useAgents } from "@/lib/client/conversation/agents";
import type { SuggestionListProps } from "./suggestion-list";
import type { Suggestions, SuggestionTargets } from "./use-suggestions";

const suggestionList = latePart<SuggestionListProps>(() => import("./suggestion-list"));

/** What `@…` and `/…` at the start and `#…` at the end of a message ask for. */
const asks = /^@[^\s@]*$|^\/[^\n]{0,60}$|(?:^|\s)#[^\s#]*$/;

export interface Suggesting {
  list: ReactNode;
  /** Of the option that Enter takes; undefined while none is offered. */
  active: string | undefined;
  /** Whether it was for the list. */
  onKey(event: KeyboardEvent): boolean;
  /** What a message means that begins with `@name`; null for one that is not sent, as nothing stands behind the name. */
  read(message: string): { agent?: string; text: string } | null;
}

/** The list of what the typed text can mean, which is fetched with the first sign that asks for it. */
export function useSuggesting(id: string, text: string, targets: SuggestionTargets): Suggesting {
  const agents = useAgents().data?.items;
  const keys = useRef<Suggestions["onKey"]>(null);
  const [active, setActive] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const asksNow = asks.test(text);
  // Once there it stays: what was closed by Escape stays closed.
  const [hasAsked, setAsked] = useState(false);
  if (asksNow && !hasAsked) setAsked(true);
  const List = useLatePart(
    suggestionList,
    hasAsked && !isMissing,
    useCallback(() => setMissing(true), []),
  );
  return {
    list: List && <List id={id} text={text} targets={targets} keys={keys} onActive={setActive} />,
    active: active ?? undefined,
    onKey: (event) => {
      // Half a name is not sent because its list is a moment late.
      const isHalf = text.startsWith("@") && asksNow && !List && !isMissing;
      if (isHalf && event.key === "Enter" && !event.nativeEvent.isComposing) {
        event.preventDefault();
        return true;
      }
      return keys.current?.(event) ?? false;
    },
    read: (message) => {
      const [, name, rest = ""] = /^@([\w-]+)(?:\s+([\s\S]*))?$/.exec(message) ?? [];
      if (name === undefined) return { text: message };
      const isKnown = agents?.some((item) => item.id === name);
      if (!isKnown) return agents || rest !== "" ? { text: message } : null;
      if (rest !== "") return { agent: name, text: rest };
      targets.chooseAgent(name);
      targets.setText("");
      return null;
    },
  };
}
