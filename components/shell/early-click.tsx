"use client";

import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

declare global {
  /** Gives the button that was pressed last while nothing listened yet, and stops watching. */
  var takeEarlyClick: (() => HTMLButtonElement | null) | undefined;
  /** The key that was pressed last, unless a pointer was pressed after it. */
  var lastKey: KeyboardEvent | undefined;
}

/**
 * A button is there before React listens to it. What was pressed last until then is pressed once more when the page
 * listens, so that a click is late and not lost.
 */
export function EarlyClick({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const early = useRef<HTMLButtonElement>(null);
  // At once: what is pressed from now on React takes.
  useLayoutEffect(() => {
    early.current = globalThis.takeEarlyClick?.() ?? null;
    globalThis.takeEarlyClick = undefined;
  }, []);
  // After the effects of everything below.
  useEffect(() => {
    const button = early.current;
    early.current = null;
    // After them: while React runs effects, it takes over no part of the page that is pressed.
    if (button?.isConnected) queueMicrotask(() => button.click());
  }, []);
  return (
    <>
      <script
        nonce={nonce}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own function, for the time before our scripts
        dangerouslySetInnerHTML={{ __html: `(${watchKeys})();(${watchClicks})()` }}
      />
      {children}
    </>
  );
}

/** Runs in the page before its scripts, for `pressLastKey`. */
function watchKeys(): void {
  const watch = (event: Event) => {
    globalThis.lastKey = event instanceof KeyboardEvent ? event : undefined;
  };
  addEventListener("keydown", watch, true);
  addEventListener("pointerdown", watch, true);
}

/** Runs in the page before its scripts. In the capture phase: React stops a click that comes while it waits for a part of the page. */
function watchClicks(): void {
  let click: Event | undefined;
  let pressed: HTMLButtonElement | null = null;
  const watch = (event: Event) => {
    click = event;
    pressed = (event.target as Element).closest("button");
  };
  addEventListener("click", watch, true);
  globalThis.takeEarlyClick = () => {
    removeEventListener("click", watch, true);
    // A click can make React listen at once and is then taken by it: as long as it is on its way, it is not lost.
    return click?.eventPhase === 0 ? pressed : null;
  };
}
