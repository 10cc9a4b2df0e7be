import { useEffect, useState } from "react";
import { askAfter } from "@/lib/client/http/ask-after";
import { type ApiError, asApiError } from "@/lib/client/http/http";
import { type AuditFilter, loadAudit } from "@/lib/client/settings/audit";
import type { AuditItem } from "@/lib/protocol/audit";
import type { Page } from "@/lib/protocol/http";

/** Between the last key and the request, ms. */
const restMs = 150;

/** What the filter lets through, newest first, as far as it has been loaded; what was there stays until the next is. */
export function useAudit(filter: AuditFilter) {
  const [page, setPage] = useState<Page<AuditItem>>();
  const [error, setError] = useState<ApiError>();
  const [asked, setAsked] = useState(0);
  const [isLoading, setLoading] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is a wish to try again
  useEffect(() => {
    const show = (found: Page<AuditItem> | undefined, fault: ApiError | undefined) => {
      if (found) setPage(found);
      setError(fault);
    };
    return askAfter(
      restMs,
      (signal) => loadAudit(filter, null, signal),
      (found) => show(found, undefined),
      (fault) => show(undefined, fault),
    );
  }, [filter, asked]);

  const loadMore = async () => {
    if (!page?.nextCursor || isLoading) return;
    setLoading(true);
    try {
      const { items, nextCursor } = await loadAudit(filter, page.nextCursor);
      // The filter may have changed meanwhile.
      setPage((now) => (now === page ? { items: [...page.items, ...items], nextCursor } : now));
    } catch (cause) {
      setError(asApiError(cause));
    } finally {
      setLoading(false);
    }
  };
  return { page, error, isLoading, loadMore, retry: () => setAsked(asked + 1) };
}
