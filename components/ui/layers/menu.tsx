"use client";

import { useState } from "react";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import type { MenuProps } from "./menu-entry";
import type { MenuSurfaceProps } from "./menu-surface";

const surface = latePart<MenuSurfaceProps>(() => import("./menu-surface"));
const preload = () => fetchAhead(surface);

/** A menu whose machinery (22 KB) is loaded when somebody reaches for its button, and not before. */
export function Menu({ startsOpen = false, ...menu }: MenuProps) {
  const [wanted, setWanted] = useState(startsOpen);
  const [byKeyboard, setByKeyboard] = useState(false);
  const Surface = useLatePart(surface, wanted);
  if (Surface) return <Surface {...menu} byKeyboard={byKeyboard} />;
  const open = (key: boolean) => {
    setByKeyboard(key);
    setWanted(true);
    menu.onOpenChange?.(true);
  };
  return (
    <button
      type="button"
      {...menu.trigger}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      // A key presses without a count.
      onClick={({ detail }) => open(detail === 0)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        open(true);
      }}
    />
  );
}
