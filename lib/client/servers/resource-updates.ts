import { useEffect, useState } from "react";

interface Watched {
  server: string;
  uri: string;
  onUpdate(): void;
  onUnwatched(message: string): void;
}

/** The resources that are open in this tab; one stream for all, as a browser opens few connections to one host. */
const watched = new Set<Watched>();
let source: EventSource | undefined;
let planned = false;

/** The server accepts no more. */
const maxWatched = 20;

function reopen(): void {
  planned = false;
  source?.close();
  source = undefined;
  if (watched.size === 0) return;
  const list = [...watched].slice(-maxWatched).map(({ server, uri }) => ({ server, uri }));
  source = new EventSource(
    `/api/mcp/resources/updates?${new URLSearchParams({ watch: JSON.stringify(list) })}`,
  );
  source.addEventListener("updated", ({ data }) => {
    const { server, uri } = JSON.parse(data) as Pick<Watched, "server" | "uri">;
    for (const each of watched) if (each.server === server && each.uri === uri) each.onUpdate();
  });
  source.addEventListener("unwatched", ({ data }) => {
    const { server, uri, message } = JSON.parse(data) as Pick<Watched, "server" | "uri"> & {
      message: string;
    };
    for (const each of watched) if (each.server === server && each.uri === uri) each.onUnwatched(message);
  });
}

function plan(): void {
  if (planned) return;
  planned = true;
  queueMicrotask(reopen);
}

/**
 * Whether a resource has changed on its server since it was last read (`markRead`); watched while `isOpen`. `fault`
 * says why changes cannot be watched.
 */
export function useResourceUpdates(server: string, uri: string, isOpen: boolean) {
  const [changed, setChanged] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (!isOpen) return;
    setFault(null);
    const entry = { server, uri, onUpdate: () => setChanged(true), onUnwatched: setFault };
    watched.add(entry);
    plan();
    return () => {
      watched.delete(entry);
      plan();
    };
  }, [server, uri, isOpen]);
  return { changed, fault, markRead: () => setChanged(false) };
}
