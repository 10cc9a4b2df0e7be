"use client";

import { useSyncExternalStore } from "react";
import { cn } from "./cn";

export interface KeyProps {
  keys: string;
  /** The tone of the button that it stands in. */
  on?: "ink" | "outline" | "quiet";
  /** Also in a window as narrow as a phone's, which a magnified one is too. */
  always?: boolean;
  className?: string;
}

/** Keys are written as `Mod+Shift+O`; `Mod` is the command key on Apple's keyboards and Ctrl elsewhere. */
export function Key({ keys, on, always = false, className }: KeyProps) {
  const apple = useSyncExternalStore(never, isApple, () => false);
  return (
    <span aria-hidden="true" className={cn(!always && "phone:hidden", className)}>
      <kbd
        className={cn(
          "key-cap",
          on === "ink" ? "border-current opacity-70" : cn("text-ink-3", on ? "border-rule-2" : "border-rule"),
        )}
      >
        {keyLabel(keys, apple)}
      </kbd>
    </span>
  );
}

/** "⇧⌘O" on Apple's keyboards, "Ctrl Shift O" elsewhere. */
export function keyLabel(keys: string, apple: boolean): string {
  const names = apple ? appleNames : otherNames;
  return keys
    .split("+")
    .map((key) => names[key] ?? key)
    .join(apple ? "" : " ");
}

/** For `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return [keys.replace("Mod", "Control"), keys.replace("Mod", "Meta")].join(" ");
}

const arrows = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const appleNames: Record<string, string> = {
  ...{ Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "⏎", Escape: "esc", Tab: "⇥" },
  ...arrows,
};
const otherNames: Record<string, string> = { Mod: "Ctrl", Escape: "Esc", ...arrows };

const never = () => () => {};

export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
