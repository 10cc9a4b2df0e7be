"use client";

import { useSyncExternalStore } from "react";
import type { PaletteProps } from "@/components/palette/palette";
import { latePart } from "@/components/ui/late-part";

/** What is opened over a page from several places. */
export type PageLayer = "palette" | "sheet" | null;

let shown: PageLayer = null;
const listeners = new Set<() => void>();

export const palette = latePart<PaletteProps>(() => import("@/components/palette/palette"));
export const shortcutSheet = latePart<{ onClose(): void }>(() => import("./shortcut-sheet"));

export const openPalette = () => showLayer("palette");
export const openSheet = () => showLayer("sheet");

export function showLayer(layer: PageLayer): void {
  shown = layer;
  for (const listener of listeners) listener();
}

export const usePageLayer = (): PageLayer =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
    () => null,
  );
