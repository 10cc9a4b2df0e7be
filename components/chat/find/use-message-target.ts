"use client";

import { useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { notify, notifyFailure } from "@/components/ui/toast";
import type { ConversationStore } from "@/lib/client/conversation/conversation-store";

export interface TargetPlace {
  conversation: ConversationStore;
  scrollRef: { readonly current: HTMLElement | null };
  /** Whether a message is being sent. */
  sending: boolean;
  /** The thread stands still from now on. */
  stop(): void;
}

/** `?message=`: takes the reader to that message. The address loses it again when one goes on. */
export function useMessageTarget({ conversation, scrollRef, sending, stop }: TargetPlace): void {
  const t = useTranslations("chat.find");
  const address = useSearchParams();
  const id = address.get("message");
  const query = address.get("find") ?? "";
  useEffect(() => {
    if (id === null) return;
    const leaving = new AbortController();
    const go = async () => {
      const [{ reachMessage }, { showPlace }, { markWords }] = await Promise.all([
        import("./reach-message"),
        import("./show-place"),
        import("./mark-words"),
      ]);
      leaving.signal.addEventListener("abort", () => markWords(null, ""));
      const place = await reachMessage(conversation, id);
      const scroller = scrollRef.current;
      if (leaving.signal.aborted || !scroller) return;
      switch (place) {
        case "failed":
          return notifyFailure(t("failed"));
        case "missing":
          leaveTarget();
          return notify(t("missing"));
        case "tooFar":
          return notifyFailure(t("tooFar"));
      }
      stop();
      const shown = await showPlace(scroller, place, { query, takesFocus: true });
      if (shown && !leaving.signal.aborted) whenLeft(shown, scroller, leaving.signal, leaveTarget);
    };
    void go();
    return () => leaving.abort();
  }, [conversation, id, query, scrollRef, stop, t]);
  useEffect(() => {
    if (sending && id !== null) leaveTarget();
  }, [sending, id]);
}

/** The address of the conversation alone; nothing is fetched for it. */
export function leaveTarget(): void {
  if (location.search !== "") window.history.replaceState(null, "", location.pathname);
}

function whenLeft(element: Element, root: Element, signal: AbortSignal, leave: () => void): void {
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (entry?.isIntersecting) return;
      observer.disconnect();
      leave();
    },
    { root },
  );
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}
