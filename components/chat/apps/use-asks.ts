import { useCallback, useRef, useState } from "react";

/** What an app wants that a person decides. */
export type AppQuestion =
  | { kind: "call"; tool: string; args: Record<string, unknown>; reason: "rule" | "changed_definition" }
  | { kind: "link"; url: string };

export type AppSaid = "once" | "always" | "no";

interface Open {
  number: number;
  ask: AppQuestion;
  say(said: AppSaid): void;
}

const mostWaiting = 5;

/** The questions of an app, one after another; an app that asks for too much at once is told no. */
export function useAsks() {
  const [open, setOpen] = useState<readonly Open[]>([]);
  const waiting = useRef(new Set<number>());
  const last = useRef(0);
  const put = useCallback(async (ask: AppQuestion, signal?: AbortSignal): Promise<AppSaid> => {
    if (signal?.aborted || waiting.current.size >= mostWaiting) return "no";
    const { promise, resolve } = Promise.withResolvers<AppSaid>();
    const number = ++last.current;
    waiting.current.add(number);
    signal?.addEventListener("abort", () => resolve("no"), { once: true });
    setOpen((others) => [...others, { number, ask, say: resolve }]);
    const said = await promise;
    waiting.current.delete(number);
    setOpen((others) => others.filter((other) => other.number !== number));
    return said;
  }, []);
  return { put, first: open[0] };
}
