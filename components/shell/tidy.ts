"use client";

import { useSyncExternalStore } from "react";
import type { ConversationItem } from "@/lib/protocol/http";

export type Moved = Pick<ConversationItem, "id" | "title" | "projectId">;

/** Something to be done with conversations at once, which can be taken back afterwards. */
export type Tidying = { items: readonly Moved[] } & (
  | { action: "archive" | "unarchive" | "delete" }
  /** `name` of a project that was only just made. */
  | { action: "move"; to: string | null; name?: string }
);

const none: readonly Tidying[] = [];
let asked = none;
const listeners = new Set<() => void>();

/** Asks for it; the part of the page that does it, and offers the way back, comes when it is needed. */
export function tidy(tidying: Tidying): void {
  publish([...asked, tidying]);
}

/** Moves those that are not there yet into a project, or out of any. */
export function move(items: readonly Moved[], to: string | null, name?: string): void {
  const moved = items.filter(({ projectId }) => projectId !== to);
  if (moved.length > 0) tidy({ action: "move", items: moved, to, ...(name !== undefined && { name }) });
}

/** What was asked for and not begun. */
export function useTidyings(): readonly Tidying[] {
  return useSyncExternalStore(
    subscribe,
    () => asked,
    () => none,
  );
}

export function takeTidyings(): readonly Tidying[] {
  const taken = asked;
  if (taken.length > 0) publish(none);
  return taken;
}

function publish(next: readonly Tidying[]): void {
  asked = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
