import { useCallback, useState } from "react";

/** What an app wants that a person decides. */
export type AppAsk =
  | { kind: "call"; tool: string; args: Record<string, unknown>; reason: "rule" | "changed_definition" }
  | { kind: "link"; url: string };

export type AppSaid = "once" | "always" | "no";

interface Open {
  ask: AppAsk;
  say(said: AppSaid): void;
}

const mostWaiting = 5;

/** The questions of an app, one after another; an app that asks for too much at once is told no. */
export function useAsks() {
  const [open, setOpen] = useState<readonly Open[]>([]);
  const put = useCallback(
    (ask: AppAsk, signal?: AbortSignal) =>
      new Promise<AppSaid>((resolve) => {
        const entry: Open = {
          ask,
          say: (said) => {
            resolve(said);
            setOpen((others) => others.filter((other) => other !== entry));
          },
        };
        signal?.addEventListener("abort", () => entry.say("no"), { once: true });
        setOpen((others) => {
          if (others.length < mostWaiting && !signal?.aborted) return [...others, entry];
          resolve("no");
          return others;
        });
      }),
    [],
  );
  return { put, first: open[0] };
}
