"use client";

import { useSyncExternalStore } from "react";

/** The sidebar beside the page, which may be closed, and on phones the drawer in front of it. */
export interface SideState {
  closed: boolean;
  drawer: boolean;
}

let state: SideState = { closed: false, drawer: false };
/** As the page came: the same object for as long as nothing changes, or all would be rendered again once React has taken it over. */
let first = state;
const listeners = new Set<() => void>();

export function useSide(initial: SideState): SideState {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => (first.closed === initial.closed ? first : initial),
  );
}

/** What the cookie said when the page was made; before anything is drawn. */
export function startSide(closed: boolean): void {
  const isFirst = typeof window !== "undefined" && listeners.size === 0;
  if (isFirst && state.closed !== closed) state = first = { ...state, closed };
}

/** Shows or hides the list of conversations, whichever form it has in this window. */
export function toggleSide(): void {
  if (matchMedia("(max-width: 720px)").matches) {
    change({ ...state, drawer: !state.drawer });
    return;
  }
  change({ ...state, closed: !state.closed });
  const age = 60 * 60 * 24 * 365;
  // biome-ignore lint/suspicious/noDocumentCookie: the server draws the page from it; CookieStore is missing in Safari and on plain http
  document.cookie = `side=${state.closed ? "closed" : "open"}; path=/; max-age=${age}; samesite=lax`;
}

/** Folds it while something else needs its room; what it returns brings it back. Nothing of it is remembered. */
export function foldSide(): () => void {
  if (state.closed) return () => {};
  change({ ...state, closed: true });
  return () => change({ ...state, closed: false });
}

export function closeDrawer(): void {
  if (state.drawer) change({ ...state, drawer: false });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: SideState): void {
  state = next;
  for (const listener of listeners) listener();
}
