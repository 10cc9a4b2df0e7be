import { useEffect, useState } from "react";
import { type ApiError, api, asApiError, isPassing } from "@/lib/client/http/http";
import type { Matrix } from "@/lib/protocol/matrix";

/** How often one that goes on is read again, and one in which only a person can change something. */
const lookMs = 2_000;
const restMs = 5_000;

export interface LookedAt {
  data: Matrix | undefined;
  error: ApiError | undefined;
  retry(): void;
  /** Shows what a change has answered, and looks again from there. */
  take(matrix: Matrix): void;
}

/** A matrix, read again while something may still change in it and the page is looked at, also after a failure that may pass. */
export function useMatrix(id: string): LookedAt {
  const [data, setData] = useState<Matrix>();
  const [error, setError] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks for the same
  useEffect(() => {
    const gone = new AbortController();
    let last: Matrix | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        if (!last || !document.hidden)
          last = await api<Matrix>(`/api/matrix/${encodeURIComponent(id)}`, { signal: gone.signal });
        if (gone.signal.aborted) return;
        setData(last);
        setError(undefined);
        const isRunning = last.cells.some(({ status }) => status === "running");
        if (isRunning || (last.status !== "completed" && last.status !== "stopped"))
          timer = setTimeout(() => void look(), isRunning ? lookMs : restMs);
      } catch (cause) {
        if (gone.signal.aborted) return;
        const failure = asApiError(cause);
        setError(failure);
        if (isPassing(failure)) timer = setTimeout(() => void look(), restMs);
      }
    };
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [id, attempt]);
  const retry = () => setAttempt((count) => count + 1);
  const take = (matrix: Matrix) => {
    setData(matrix);
    retry();
  };
  return { data, error, retry, take };
}
