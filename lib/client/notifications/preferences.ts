import { useSyncExternalStore } from "react";
import { type EndedKind, endedKinds } from "./ended-runs";

/** What this browser does when a run has ended and nobody looks. */
export interface NotificationPreferences {
  /** Whether it shows notifications; null: nobody has decided yet, which is what the offer is for. */
  isOn: boolean | null;
  /** What is told, by marks too. */
  kinds: readonly EndedKind[];
}

const key = "meguri.notifications";
const unset: NotificationPreferences = { isOn: null, kinds: endedKinds };

let known: { text: string | null; preferences: NotificationPreferences } = { text: null, preferences: unset };
const listeners = new Set<() => void>();

export function readPreferences(): NotificationPreferences {
  const text = stored();
  if (text !== known.text) known = { text, preferences: parse(text) };
  return known.preferences;
}

/** In all tabs of this browser. */
export function changePreferences(change: Partial<NotificationPreferences>): void {
  const preferences = { ...readPreferences(), ...change };
  try {
    localStorage.setItem(key, JSON.stringify(preferences));
  } catch {
    // Storage is full or off: it applies to this page only.
    known = { text: stored(), preferences };
  }
  for (const listener of listeners) listener();
}

export function usePreferences(): NotificationPreferences {
  return useSyncExternalStore(subscribe, readPreferences, () => unset);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function parse(text: string | null): NotificationPreferences {
  try {
    const { isOn, kinds } = JSON.parse(text ?? "null") as NotificationPreferences;
    return {
      isOn: typeof isOn === "boolean" ? isOn : null,
      kinds: endedKinds.filter((kind) => kinds.includes(kind)),
    };
  } catch {
    return unset;
  }
}
