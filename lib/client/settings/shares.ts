import { api, asApiError, readFailure, send } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Page } from "@/lib/protocol/http";
import type { FindingDecision, ShareFinding } from "@/lib/protocol/share-policy";
import type { ShareItem, SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";

const store = new LiveStore<Page<ShareItem>>({
  name: "shares",
  load: () => api<Page<ShareItem>>("/api/shares?limit=200"),
  pace: () => null,
});

/** The links that this person created, newest first, including those that have ended. */
export function useShares(): Live<Page<ShareItem>> {
  return useLive(store);
}

export function refreshShares(): Promise<void> {
  return store.refresh({ tell: true });
}

export interface ShareRequest {
  leafId?: string;
  expiresAt?: string;
  policy?: SharePolicy;
  /** It can be played. */
  replay?: true;
  /** It says who has shared it (`displayName` of the settings). */
  author?: true;
  /** Findings that are redacted in the copy: all of them, or some by their ids. */
  redact?: true | readonly string[];
  /** Those that are shared as they are. */
  accept?: true | readonly string[];
  /** Create nothing, only return the preview. */
  dryRun?: boolean;
}

/** A new link, or with `dryRun` only what it would show. */
export interface CreatedShare {
  id: string | null;
  token: string | null;
  url: string | null;
  /** What strangers would see. */
  preview: ShareSnapshot;
  findings: ShareFinding[];
}

export async function createShare(conversationId: string, request: ShareRequest): Promise<CreatedShare> {
  const answer = await api<CreatedShare>(`/api/conversations/${conversationId}/shares`, {
    method: "POST",
    body: request,
  });
  if (!request.dryRun) await refreshShares();
  return answer;
}

/** The copy that a link would show, as an HTML file; no link is made. */
export async function shareFile(
  conversationId: string,
  { policy, author, redact, accept }: ShareRequest,
): Promise<Blob> {
  const response = await send(`/api/conversations/${conversationId}/shares/file`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ policy, author, redact, accept }),
  });
  if (!response.ok) throw await readFailure(response);
  return response.blob();
}

/** Updates a link to the newest state. Throws `secrets_found` for what may be private and was not decided on. */
export async function updateShare(id: string, findings?: FindingDecision): Promise<void> {
  const body = { refresh: true, ...(findings && { [findings]: true }) };
  await api(`/api/shares/${id}`, { method: "PATCH", body });
  await refreshShares();
}

/** What may be private, for which a link was refused; undefined for any other failure. */
export function findingsOf(error: unknown): ShareFinding[] | undefined {
  const { code, details } = asApiError(error);
  return code === "secrets_found" ? (details as { findings: ShareFinding[] }).findings : undefined;
}

/** Copies a shared conversation to this person's own ones; returns the id of the copy. */
export async function forkShare(token: string): Promise<string> {
  const { conversationId } = await api<{ conversationId: string }>(
    `/api/share/${encodeURIComponent(token)}/fork`,
    {
      method: "POST",
      body: {},
    },
  );
  return conversationId;
}

/** The link answers 410 from now on, for good. */
export async function revokeShare(id: string): Promise<void> {
  try {
    await api(`/api/shares/${id}`, { method: "DELETE" });
  } finally {
    await refreshShares();
  }
}

/** Whether the link still opens, at this moment. */
export function isLive(share: ShareItem, now = Date.now()): boolean {
  return !share.revokedAt && (!share.expiresAt || Date.parse(share.expiresAt) > now);
}
