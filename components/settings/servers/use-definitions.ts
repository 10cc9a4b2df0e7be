"use client";

import { useEffect, useState } from "react";
import { loadDefinitions, useServers } from "@/lib/client/servers";
import type { McpDefinitionItem } from "@/lib/protocol/mcp";

/** The definitions of a server's tools, fetched anew when one of them or its state has changed. */
export function useDefinitions(server: string): McpDefinitionItem[] | undefined {
  const { data } = useServers();
  const item = data?.items.find(({ name }) => name === server);
  const version = JSON.stringify([
    item?.tools.map(({ hash, definition, blocked }) => [hash, definition, blocked]),
    item?.removedTools,
  ]);
  const [items, setItems] = useState<McpDefinitionItem[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version is what asks for it again
  useEffect(() => {
    const stop = new AbortController();
    // Where it cannot be had, the last one stays; the next change of the list asks again.
    loadDefinitions(server, stop.signal).then(setItems, () => {});
    return () => stop.abort();
  }, [server, version]);
  return items;
}
