import { useCallback, useEffect, useState } from "react";
import { askAfter } from "@/lib/client/http/ask-after";
import { type ApiError, api, asApiError } from "@/lib/client/http/http";
import type { Ledger, LedgerState } from "@/lib/protocol/ledger";

/** What is chosen is shown at once and stored a moment later. */
const settleMs = 300;

export interface KnownLedger {
  /** Undefined in a conversation that is new, and until it is known. */
  ledger: Ledger | undefined;
  /** Why what is shown may be old, or was not changed. */
  failure: ApiError | undefined;
  isChanging: boolean;
  change(items: Readonly<Record<string, LedgerState>>): void;
  again(): void;
}

/**
 * What fills the context of the conversation's next message. Fetched again when `moment` is another one; what was known of the
 * same conversation stays meanwhile.
 */
export function useLedger(id: string | null, model: string | null, moment: string | null): KnownLedger {
  const [known, setKnown] = useState<{ id: string; ledger: Ledger }>();
  const [failure, setFailure] = useState<ApiError>();
  const [tries, setTries] = useState(0);
  const [isChanging, setChanging] = useState(false);
  const query = model === null ? "" : `?model=${encodeURIComponent(model)}`;
  const path = id === null ? null : `/api/conversations/${encodeURIComponent(id)}/ledger${query}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try asks again
  useEffect(() => {
    if (id === null || path === null || moment === null) return;
    return askAfter(
      settleMs,
      (signal) => api<Ledger>(path, { signal }),
      (ledger) => {
        setKnown({ id, ledger });
        setFailure(undefined);
      },
      setFailure,
    );
  }, [id, path, moment, tries]);
  const change = useCallback(
    (items: Readonly<Record<string, LedgerState>>) => {
      if (id === null || path === null) return;
      setChanging(true);
      api<Ledger>(path, { method: "PATCH", body: { items } })
        .then(
          (ledger) => {
            setKnown({ id, ledger });
            setFailure(undefined);
          },
          (cause) => setFailure(asApiError(cause)),
        )
        .finally(() => setChanging(false));
    },
    [id, path],
  );
  const again = useCallback(() => setTries((count) => count + 1), []);
  return { ledger: known?.id === id ? known?.ledger : undefined, failure, isChanging, change, again };
}
