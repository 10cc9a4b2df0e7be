"use client";

import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useChosen } from "./choosing";
import { chooseAll, endChoosing } from "./row-actions";

/** How many are chosen, in the place of the name of the application. */
export default function ChoosingHead() {
  const t = useTranslations("shell.choosing");
  const head = useRef<HTMLElement>(null);
  const count = useChosen()?.size ?? 0;
  useEscape();
  const all = () => {
    const list = head.current?.parentElement?.querySelector("nav");
    if (list) chooseAll(list);
  };
  return (
    <header ref={head} className="flex h-12 flex-none items-center pr-2 pl-4">
      <b className="min-w-0 flex-1 truncate text-text font-semibold" role="status">
        {t("count", { count })}
      </b>
      <Button small tone="quiet" onClick={all}>
        {t("all")}
      </Button>
      <Button small tone="quiet" keys="Escape" onClick={endChoosing}>
        {t("done")}
      </Button>
    </header>
  );
}

/** Before the drawer closes by it, and before it stops an answer; an open menu or question has it first, and so has a field. */
function useEscape(): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    const { activeElement } = document;
    if (activeElement?.matches("input, textarea, select, [contenteditable]")) return;
    if (document.querySelector("[role=menu], dialog[open]:not([data-drawer])")) return;
    event.preventDefault();
    event.stopPropagation();
    endChoosing();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listener, { capture: true });
    return () => removeEventListener("keydown", listener, { capture: true });
  }, []);
}
