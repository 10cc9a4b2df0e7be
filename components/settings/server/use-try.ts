"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { type TryProgress, tryTool } from "@/lib/client/servers/try-tool";
import type { McpRawMessage, McpTriedCall } from "@/lib/protocol/mcp-offers";

/** A call by hand: how far it is, or what came of it. */
export interface Trial {
  status: "running" | "done" | "failed" | "cancelled";
  startedAt: number;
  progress: TryProgress | null;
  raw: readonly McpRawMessage[];
  result: McpTriedCall | null;
  failure: string | null;
}

/** Runs one call at a time; leaving gives it up, on the server as well. */
export function useTry(server: string, tool: string) {
  const errorText = useErrorText();
  const [state, setState] = useState<Trial | null>(null);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useCallback(
    async (args: Record<string, unknown>) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      const change = (next: Partial<Trial>) => setState((before) => before && { ...before, ...next });
      setState({
        ...{ status: "running", startedAt: Date.now(), progress: null },
        ...{ raw: [], result: null, failure: null },
      });
      const watch = {
        onProgress: (progress: TryProgress) => change({ progress }),
        onMessage: (message: McpRawMessage) =>
          setState((before) => before && { ...before, raw: [...before.raw, message] }),
      };
      try {
        change({ status: "done", result: await tryTool(server, tool, args, watch, signal) });
      } catch (error) {
        change(signal.aborted ? { status: "cancelled" } : { status: "failed", failure: errorText(error) });
      }
    },
    [server, tool, errorText],
  );
  return {
    state,
    isRunning: state?.status === "running",
    run: (args: Record<string, unknown>) => void run(args),
    cancel: () => stop.current?.abort(),
  };
}
