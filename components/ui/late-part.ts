"use client";

import { type ComponentType, useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** A part of the page that is fetched when it is needed, or a little before. */
export interface LatePart<P> {
  /** Null until it has come. */
  known: ComponentType<P> | null;
  read(): Promise<ComponentType<P>>;
}

/** `read` imports the file of the part; its default export is the part. */
export function latePart<P>(read: () => Promise<{ default: ComponentType<P> }>): LatePart<P> {
  const part: LatePart<P> = {
    known: null,
    read: async () => {
      part.known ??= (await read()).default;
      return part.known;
    },
  };
  return part;
}

/** For the first sign that a part will be needed. That it cannot be fetched is said where it is needed. */
export function fetchAhead(part: { read(): Promise<unknown> }): void {
  part.read().catch(() => {});
}

/** The same for several, one after the other and each when the page has time: to read what has come must not hold up a key. */
export async function fetchInPauses(parts: readonly { read(): Promise<unknown> }[]): Promise<void> {
  for (const part of parts) {
    await pause();
    await part.read().catch(() => {});
  }
}

/** Somebody who writes fast leaves no longer ones; ms. */
const longestWaitMs = 1_000;
const pause = () =>
  new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === "function")
      requestIdleCallback(() => resolve(), { timeout: longestWaitMs });
    else setTimeout(resolve, 50);
  });

/**
 * A part as soon as it is needed and has come. Throws while rendering when it cannot be fetched, unless `onFailure` takes
 * that. Not `lazy`: what was fetched ahead is there in the very render that needs it, and what came late is shown at
 * once, where React holds back what was suspended for up to 300 ms.
 */
export function useLatePart<P>(
  part: LatePart<P>,
  isNeeded: boolean,
  onFailure?: () => void,
): ComponentType<P> | null {
  const [, show] = useState<unknown>(null);
  const isMissing = isNeeded && part.known === null;
  useEffect(() => {
    if (!isMissing) return;
    let isOver = false;
    const fail = (cause: unknown) => {
      if (isOver) return;
      if (onFailure) onFailure();
      else
        show(() => {
          throw cause;
        });
    };
    // Any new value renders again; the part itself is in `known` for everybody. With its effects at once: a menu that can be
    // seen must have the focus and hear Escape.
    part.read().then(() => {
      if (!isOver) flushSync(() => show({}));
    }, fail);
    return () => {
      isOver = true;
    };
  }, [part, isMissing, onFailure]);
  return isNeeded ? part.known : null;
}
