import { useRouter } from "next/navigation";
import { useCallback, useSyncExternalStore } from "react";

/** Shows a page without the server; false where that cannot be. */
export type Detour = (path: string) => boolean;

let detour: Detour | null = null;
let asked: string | null = null;
let askedForNew = 0;
const listeners = new Set<() => void>();

/** Opens a page by its path: by the router, or by the detour while there is one. */
export function useGo(): (path: string) => void {
  const { push } = useRouter();
  return useCallback(
    (path) => {
      asked = path;
      if (path === "/") {
        askedForNew += 1;
        for (const listener of listeners) listener();
      }
      if (!detour?.(path)) push(path);
    },
    [push],
  );
}

/**
 * Goes up each time that a new conversation is asked for. The address alone does not always say it: where it changes twice
 * before React has drawn anything, from a new conversation to its id and back, nothing has changed.
 */
export const useAskedForNew = (): number =>
  useSyncExternalStore(
    subscribe,
    () => askedForNew,
    () => 0,
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** From now on, and for what was asked for and has not come. */
export function setDetour(way: Detour | null): void {
  detour = way;
  if (asked !== null) way?.(asked);
}

/** What was asked for is shown, or something else that was asked for since. */
export function arrived(): void {
  asked = null;
}
