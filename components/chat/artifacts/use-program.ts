import { type RefObject, useEffect, useState } from "react";

export type ProgramState = "starting" | "running" | "silent" | "left";

/** How long the page that holds programs may take to answer. */
const waitMs = 15_000;
const mostHosts = 5;
const prefix = "ui/notifications/sandbox-";

/**
 * Where programs run: a page on another origin, which reaches nobody. Undefined where this installation has no address
 * for it.
 */
export function programAddress(): string | undefined {
  const { programs } = document.documentElement.dataset;
  return programs && `${programs}/artifact`;
}

/** Runs a page that a model has written in the frame, for as long as the frame is there. Nothing of it is heard here. */
export function useProgram(
  frame: RefObject<HTMLIFrameElement | null>,
  html: string,
  title: string,
): { state: ProgramState; refused: readonly string[] } {
  const [state, setState] = useState<ProgramState>("starting");
  const [refused, setRefused] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title does not begin it anew
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const timer = setTimeout(() => setState("silent"), waitMs);
    const listen = (event: MessageEvent) => {
      // Whatever else comes, in whatever number, is not looked at.
      if (event.source !== element.contentWindow) return;
      switch (event.data?.method) {
        case `${prefix}proxy-ready`:
          clearTimeout(timer);
          setState("running");
          // To a page without an origin, which no address can name.
          element.contentWindow?.postMessage(
            { jsonrpc: "2.0", method: `${prefix}resource-ready`, params: { html, title } },
            "*",
          );
          return;
        case `${prefix}app-left`:
          return setState("left");
        case `${prefix}app-blocked`:
          return setRefused((known) => withHost(known, String(event.data.params?.url ?? "")));
      }
    };
    window.addEventListener("message", listen);
    element.src = programAddress() ?? "about:blank";
    return () => {
      clearTimeout(timer);
      window.removeEventListener("message", listen);
    };
  }, [frame, html]);
  return { state, refused };
}

function withHost(known: readonly string[], url: string): readonly string[] {
  const host = /^(?:https?|wss?):/i.test(url) && URL.canParse(url) ? new URL(url).host : undefined;
  return host === undefined || known.includes(host) || known.length >= mostHosts ? known : [...known, host];
}
