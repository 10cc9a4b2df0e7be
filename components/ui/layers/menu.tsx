"use client";

import { useState } from "react";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import type { MenuProps } from "./menu-entry";

const surface = latePart<MenuProps>(() => import("./menu-surface"));
const preload = () => fetchAhead(surface);

/** A menu whose machinery (22 KB) is loaded when somebody reaches for its button, and not before. */
export function Menu({ trigger, ...rest }: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const Surface = useLatePart(surface, wanted);
  if (Surface) return <Surface trigger={trigger} {...rest} />;
  return (
    <button
      type="button"
      {...trigger}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={() => setWanted(true)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        setWanted(true);
      }}
    />
  );
}
