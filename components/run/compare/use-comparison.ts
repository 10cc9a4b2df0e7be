"use client";

import { useEffect, useState } from "react";
import { type ApiError, api, asApiError, isPassing } from "@/lib/client/http/http";
import type { RunComparison } from "@/lib/protocol/run-comparison";

/** How often answers that go on are read again, and how soon after a failure that may pass. */
const lookMs = 2_000;
const retryMs = 5_000;

export interface Compared {
  data: RunComparison | undefined;
  error: ApiError | undefined;
  retry(): void;
}

/** Answers beside each other, read again while one of them goes on or waits and the page is looked at. */
export function useComparison(ids: string): Compared {
  const [data, setData] = useState<RunComparison>();
  const [error, setError] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks for the same
  useEffect(() => {
    const gone = new AbortController();
    let last: RunComparison | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        if (!last || !document.hidden) last = await readComparison(ids, gone.signal);
        if (gone.signal.aborted) return;
        setData(last);
        setError(undefined);
        if (last.runs.some(({ status }) => status === "running" || status === "waiting"))
          timer = setTimeout(() => void look(), lookMs);
      } catch (cause) {
        if (gone.signal.aborted) return;
        const failure = asApiError(cause);
        setError(failure);
        if (isPassing(failure)) timer = setTimeout(() => void look(), retryMs);
      }
    };
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [ids, attempt]);
  return { data, error, retry: () => setAttempt((count) => count + 1) };
}

const readComparison = (ids: string, signal: AbortSignal) =>
  api<RunComparison>(`/api/runs/compare?ids=${encodeURIComponent(ids)}`, { signal });
