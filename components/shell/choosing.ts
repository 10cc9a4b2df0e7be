"use client";

import { useSyncExternalStore } from "react";

/** Ids of the conversations that are chosen in the sidebar; null while nobody chooses. */
export type Chosen = ReadonlySet<string> | null;

let chosen: Chosen = null;
const listeners = new Set<() => void>();

export const chosenNow = (): Chosen => chosen;

export function useChosen(): Chosen {
  return useSyncExternalStore(subscribe, chosenNow, () => null);
}

export function setChosen(next: Chosen): void {
  chosen = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
