"use client";

import { useLocale, useTranslations } from "use-intl";
import { addressOf, conversationIn } from "@/components/chat/address";
import { useAskedTitle } from "@/components/chat/cards/use-asked-title";
import { api } from "@/lib/client/http/http";
import { readAccess } from "@/lib/client/notifications/access";
import type { EndedRun } from "@/lib/client/notifications/ended-runs";
import { readPreferences } from "@/lib/client/notifications/preferences";
import { showNotification } from "@/lib/client/notifications/shown-notifications";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ConversationDetail } from "@/lib/protocol/http";

/**
 * Shows a notification of a run, where this browser may: the title of the conversation and one sentence. A lock screen is
 * read by strangers, so nothing of the answer, of arguments or of what a server says is in it.
 */
export function useTell(
  go: (path: string) => void,
): (run: EndedRun, isWanted: () => boolean) => Promise<void> {
  const t = useTranslations("notifications.told");
  const lang = useLocale();
  const askedTitle = useAskedTitle();
  return async (run, isWanted) => {
    if (!readPreferences().isOn || readAccess() !== "granted") return;
    const { conversationId, title, kind } = run;
    const request = kind === "waiting" ? await readQuestion(conversationId) : undefined;
    const sentence = request ? askedTitle(request) : t(run.isInterrupted ? "interrupted" : kind);
    // Somebody may have come back while the question was read.
    if (isWanted())
      showNotification({ conversationId, title, sentence, lang }, () => open(conversationId, go));
  };
}

/** The first question that the newest run waits with; undefined where it cannot be read, or was answered. */
async function readQuestion(conversationId: string): Promise<PendingRequest | undefined> {
  const path = `/api/conversations/${encodeURIComponent(conversationId)}?limit=1`;
  const detail = await api<ConversationDetail>(path).catch(() => undefined);
  return detail?.runs.at(-1)?.pending[0];
}

/** How long a conversation may take until its card is there to be shown. */
const cardMs = 5_000;

function open(conversationId: string, go: (path: string) => void): void {
  window.focus();
  if (conversationIn(location.pathname) !== conversationId) go(addressOf(conversationId));
  const until = performance.now() + cardMs;
  const show = () => {
    const isThere = conversationIn(location.pathname) === conversationId;
    const card = isThere && document.querySelector("[data-card]:not([hidden])");
    if (card) card.scrollIntoView({ block: "nearest" });
    else if (performance.now() < until) requestAnimationFrame(show);
  };
  show();
}
