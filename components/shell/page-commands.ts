import { useEffect, useRef } from "react";

/** What only the page that is shown can do; `write` puts a text into its message field. */
export interface PageCommands {
  find(): void;
  share(): void;
  rename(): void;
  instructions(): void;
  /** Switches step mode on or off. */
  step(): void;
  /** Lets models propose plans, or no more. */
  plan(): void;
  /** Records what goes over the wire, or no more. */
  wire(): void;
  /** Chooses models that answer the next question beside each other. */
  compare(): void;
  write(text: string): void;
}

const known: Partial<PageCommands> = {};

/** Offers a command for as long as a component is shown; without `run` it is not offered. */
export function usePageCommand<Name extends keyof PageCommands>(
  name: Name,
  run: PageCommands[Name] | undefined,
): void {
  const latest = useRef(run);
  latest.current = run;
  const isOffered = run !== undefined;
  useEffect(() => {
    if (!isOffered) return;
    const act = ((text: string) => latest.current?.(text)) as PageCommands[Name];
    known[name] = act;
    return () => {
      if (known[name] === act) delete known[name];
    };
  }, [name, isOffered]);
}

/** What runs it here; undefined where nothing does. */
export const pageCommand = <Name extends keyof PageCommands>(name: Name): PageCommands[Name] | undefined =>
  known[name];
