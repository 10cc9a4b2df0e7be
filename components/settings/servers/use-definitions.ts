"use client";

import { useEffect, useState } from "react";
import { loadDefinitions } from "@/lib/client/servers/server-actions";
import { useServers } from "@/lib/client/servers/servers";
import type { McpDefinitionItem } from "@/lib/protocol/mcp";

const againMs = 3_000;

/** The definitions of a server's tools, fetched again when one of them or its state changes. */
export function useDefinitions(server: string): McpDefinitionItem[] | undefined {
  const { data } = useServers();
  const item = data?.items.find(({ name }) => name === server);
  const version = JSON.stringify([
    item?.tools.map(({ hash, definition, blocked }) => [hash, definition, blocked]),
    item?.removedTools,
  ]);
  const [items, setItems] = useState<McpDefinitionItem[]>();
  const [failures, setFailures] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version and a failure are what asks for it again
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    // Where it cannot be had, the last one stays until it can.
    loadDefinitions(server, stop.signal).then(setItems, () => {
      if (!stop.signal.aborted) timer = setTimeout(() => setFailures((count) => count + 1), againMs);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [server, version, failures]);
  return items;
}
