"use client";

import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from "react";
import type { IconName } from "./icon";

export type MenuEntry =
  | { kind?: "item"; label: string; icon?: IconName; note?: ReactNode; disabled?: boolean; onSelect(): void }
  /** One of the neighbours that are chosen from; the chosen one has a check. */
  | {
      kind: "choice";
      label: ReactNode;
      note?: ReactNode;
      chosen: boolean;
      disabled?: boolean;
      onSelect(): void;
    }
  /** `warns`: somebody should look here. */
  | { kind: "label"; label: string; warns?: boolean }
  | { kind: "rule" };

export interface MenuProps {
  entries: readonly MenuEntry[];
  /** A `<button>` element's props and content; the menu gives it its roles. */
  trigger: ComponentProps<"button">;
  align?: "start" | "end";
  side?: "top" | "bottom";
}

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
