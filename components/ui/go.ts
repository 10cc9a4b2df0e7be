import { useRouter } from "next/navigation";
import { useCallback } from "react";

/** Shows a page without the server; false where that cannot be. */
export type Detour = (path: string) => boolean;

let detour: Detour | null = null;
let asked: string | null = null;

/** Opens a page by its path: by the router, or by the detour while there is one. */
export function useGo(): (path: string) => void {
  const { push } = useRouter();
  return useCallback(
    (path) => {
      asked = path;
      if (!detour?.(path)) push(path);
    },
    [push],
  );
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
