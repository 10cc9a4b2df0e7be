import { useEffect, useState } from "react";
import { askAfter } from "@/lib/client/http/ask-after";
import { api } from "@/lib/client/http/http";
import type { Ledger } from "@/lib/protocol/ledger";

/** What is chosen is shown at once and stored a moment later. */
const settleMs = 300;

/**
 * What fills the context of the conversation's next message; undefined in one that is new, and until it is known. Fetched
 * again when `moment` is another one; what was known of the same conversation stays meanwhile.
 */
export function useLedger(
  id: string | null,
  model: string | null,
  moment: string | null,
): Ledger | undefined {
  const [known, setKnown] = useState<{ id: string; ledger: Ledger }>();
  useEffect(() => {
    if (id === null || moment === null) return;
    const query = model === null ? "" : `?model=${encodeURIComponent(model)}`;
    return askAfter(
      settleMs,
      (signal) => api<Ledger>(`/api/conversations/${encodeURIComponent(id)}/ledger${query}`, { signal }),
      (ledger) => setKnown({ id, ledger }),
      () => {}, // the gauge then says what it has said before
    );
  }, [id, model, moment]);
  return known?.id === id ? known?.ledger : undefined;
}
