"use client";

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { findKeys, isKeys, pressLastKey } from "@/components/shell/keys";
import { usePageCommand } from "@/components/shell/page-commands";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { useTypedAhead } from "@/components/ui/typed-ahead";
import type { FindBarProps } from "./find-bar";

const findBar = latePart<FindBarProps>(() => import("./find-bar"));

/** The field that finds in the conversation, while it is open: by its keys, by the menu and by the palette. */
export function useFind(place: Pick<FindBarProps, "conversation" | "scrollRef" | "stop">): ReactNode {
  // Counted, so that the keys lead back into a field that is open.
  const [asked, ask] = useState(0);
  const before = useRef<Element | null>(null);
  const open = useCallback(() => {
    if (!document.activeElement?.closest("search")) before.current = document.activeElement;
    ask((times) => times + 1);
  }, []);
  const hasTurns = place.conversation.getState().turns.length > 0;
  usePageCommand("find", hasTurns ? open : undefined);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !isKeys(event, findKeys)) return;
      if (document.querySelector("dialog[open]:not([data-drawer])")) return;
      event.preventDefault();
      open();
    };
    window.addEventListener("keydown", press);
    pressLastKey(press);
    return () => window.removeEventListener("keydown", press);
  }, [open]);
  const FindBar = useLatePart(findBar, asked > 0);
  const close = () => {
    ask(0);
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
  };
  const typed = useTypedAhead(asked > 0 && !FindBar, close);
  return FindBar && <FindBar {...place} asked={asked} typed={typed} onClose={close} />;
}
