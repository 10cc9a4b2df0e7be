import { useEffect, useState } from "react";

interface Watched {
  server: string;
  uri: string;
  onUpdate(): void;
}

/** What is open in this tab; one stream for all of it, as a browser keeps few connections to one host. */
const watched = new Set<Watched>();
let source: EventSource | undefined;
let planned = false;

/** As many as the server takes. */
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
}

function plan(): void {
  if (planned) return;
  planned = true;
  queueMicrotask(reopen);
}

/** Whether a resource has changed on its server since it was last read (`markRead`); looked at while `isOpen`. */
export function useResourceUpdates(server: string, uri: string, isOpen: boolean) {
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const entry = { server, uri, onUpdate: () => setChanged(true) };
    watched.add(entry);
    plan();
    return () => {
      watched.delete(entry);
      plan();
    };
  }, [server, uri, isOpen]);
  return { changed, markRead: () => setChanged(false) };
}
