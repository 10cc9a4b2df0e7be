"use client";

import { useEffect, useState } from "react";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { api } from "@/lib/client/http/http";
import type { TurnPlace } from "@/lib/client/run/run-step";
import type { ModelRequest } from "@/lib/protocol/http";

export interface Read {
  /** Undefined as long as it is being read. */
  request: ModelRequest | undefined;
  /** What the turn before was sent; null where there is none. */
  before: ModelRequest | null;
  failure: string | undefined;
  retry(): void;
}

/**
 * What the model was sent in a turn, and in the one before it. Of another turn nothing of the last one stays. It is read again
 * when the turn is over, as the wire is recorded then.
 */
export function useRequest(place: TurnPlace, previous: TurnPlace | null, isOver: boolean): Read {
  const errorText = useErrorText();
  const [read, setRead] = useState<{ key: string; request: ModelRequest; before: ModelRequest | null }>();
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const key = `${addressOf(place)} ${previous ? addressOf(previous) : ""}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names both places; another attempt, and the end of the turn, ask for the same
  useEffect(() => {
    const gone = new AbortController();
    setFailure(undefined);
    const get = (at: TurnPlace) => api<ModelRequest>(addressOf(at), { signal: gone.signal });
    Promise.all([get(place), previous && get(previous)]).then(
      ([request, before]) => setRead({ key, request, before }),
      (error) => gone.signal.aborted || setFailure(errorText(error)),
    );
    return () => gone.abort();
  }, [key, attempt, isOver, errorText]);
  const own = read?.key === key ? read : undefined;
  return {
    request: own?.request,
    before: own?.before ?? null,
    failure,
    retry: () => setAttempt(attempt + 1),
  };
}

const addressOf = ({ runId, index }: TurnPlace) => `/api/runs/${encodeURIComponent(runId)}/requests/${index}`;
