import { api } from "@/lib/client/http/http";
import type { AuditGroup, AuditItem } from "@/lib/protocol/audit";
import type { Page } from "@/lib/protocol/http";

/** Which of it is shown; what is empty is everything. */
export interface AuditFilter {
  q: string;
  person: string;
  group: AuditGroup | "";
  /** The last so many. */
  days: string;
}

const pageSize = 100;

export const toQuery = (filter: AuditFilter): URLSearchParams =>
  new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));

export function loadAudit(
  filter: AuditFilter,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<AuditItem>> {
  const query = toQuery(filter);
  query.set("limit", `${pageSize}`);
  if (cursor !== null) query.set("cursor", cursor);
  return api(`/api/audit?${query}`, signal && { signal });
}
