"use client";

import { type ReactNode, useEffect } from "react";

declare global {
  /** Gives the button that was pressed while nothing listened yet, and stops watching. */
  var takeEarlyClick: (() => HTMLButtonElement | null) | undefined;
}

/**
 * A button is there before React listens to it. What was pressed last until then is pressed once more when the page
 * listens, so that a click is late and not lost.
 */
export function EarlyClick({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  // After the effects of everything below: all of it listens.
  useEffect(() => {
    const button = globalThis.takeEarlyClick?.();
    globalThis.takeEarlyClick = undefined;
    if (button?.isConnected) button.click();
  }, []);
  return (
    <>
      <script
        nonce={nonce}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own function, for the time before our scripts
        dangerouslySetInnerHTML={{ __html: `(${watchClicks})()` }}
      />
      {children}
    </>
  );
}

/** Runs in the page before its scripts. A click that React has taken already has ended this by the time it bubbles up here. */
function watchClicks(): void {
  let pressed: HTMLButtonElement | null = null;
  const watch = (event: Event) => {
    pressed = (event.target as Element).closest("button");
  };
  addEventListener("click", watch);
  globalThis.takeEarlyClick = () => {
    removeEventListener("click", watch);
    return pressed;
  };
}
