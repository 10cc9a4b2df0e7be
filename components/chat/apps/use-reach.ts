import { useCallback, useMemo, useState } from "react";
import { readChoice, writeChoice } from "@/lib/client/conversation/drafts";
import { hostsOf, isAmong, triedHost } from "@/lib/client/servers/apps";
import type { McpApp } from "@/lib/protocol/mcp-offers";

export interface Reach {
  /** Where the app runs: able to reach the hosts that it names, or nobody. */
  page: string | undefined;
  /** Hosts that it names, and may not reach until a person says so. */
  wanted: readonly string[];
  /** Hosts that it may reach, and that did not answer. */
  failed: readonly string[];
  /** What it tried without having named it, or names and never gets. */
  held: readonly string[];
  allow(): void;
  note(kind: "blocked" | "failed", url: string): void;
  forget(): void;
}

const mostShown = 5;

/** Whom an app may reach. A person's yes is for exactly these hosts, and is remembered in this browser. */
export function useReach(server: string, uri: string, app: McpApp | undefined): Reach {
  const choice = `app.${server}.${uri}`;
  const named = useMemo(
    () => (app ? hostsOf([...app.domains.connect, ...app.domains.resource, ...app.domains.frame]) : []),
    [app],
  );
  const list = app ? JSON.stringify(app.domains) : "";
  const [yes, setYes] = useState<string | null>(() => readChoice(choice));
  const isOpen = app !== undefined && app.openPage !== null && yes === list;
  const [seen, setSeen] = useState<{ failed: readonly string[]; blocked: readonly string[] }>(nothing);
  const note = useCallback((kind: "blocked" | "failed", url: string) => {
    const host = triedHost(url);
    setSeen((before) =>
      before[kind].includes(host) || before[kind].length >= 20
        ? before
        : { ...before, [kind]: [...before[kind], host] },
    );
  }, []);
  const isNamed = (host: string) => isAmong(host, named);
  return {
    page: isOpen ? (app.openPage ?? undefined) : app?.page,
    wanted: isOpen ? [] : named,
    failed: isOpen ? seen.failed.filter(isNamed).slice(0, mostShown) : [],
    held: [...hostsOf(app?.refused ?? []), ...seen.blocked.filter((host) => !isNamed(host))].slice(
      0,
      mostShown,
    ),
    allow: () => {
      setYes(list);
      setSeen(nothing);
      writeChoice(choice, list);
    },
    note,
    forget: () => setSeen(nothing),
  };
}

const nothing = { failed: [], blocked: [] };
