"use client";

import { lazy, Suspense, useState } from "react";
import type { MenuProps } from "./menu-entry";

const Surface = lazy(loadSurface);

/** A menu whose machinery (22 KB) is loaded when somebody reaches for its button, and not before. */
export function Menu({ trigger, ...rest }: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const resting = (
    <button
      type="button"
      {...trigger}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={loadSurface}
      onFocus={loadSurface}
      onClick={() => setWanted(true)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        setWanted(true);
      }}
    />
  );
  if (!wanted) return resting;
  return (
    <Suspense fallback={resting}>
      <Surface trigger={trigger} {...rest} />
    </Suspense>
  );
}

function loadSurface() {
  return import("./menu-surface");
}
