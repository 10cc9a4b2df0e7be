"use client";

import { usePathname, useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { conversationIn } from "@/components/chat/address";
import { pollConversations, useConversations } from "@/lib/client/conversation/conversations";
import { hearNews, isTold } from "@/lib/client/http/told";
import type { EndedRun } from "@/lib/client/notifications/ended-runs";
import { pollWhileAway } from "@/lib/client/notifications/poll-while-away";
import { readPreferences } from "@/lib/client/notifications/preferences";
import { RunWatch } from "@/lib/client/notifications/run-watch";
import { keepNotifications } from "@/lib/client/notifications/shown-notifications";
import { iconOf, signOf, type TabSign } from "@/lib/client/notifications/tab-sign";
import { isLookedAt } from "@/lib/client/notifications/tabs-of-browser";
import { useTabTitle } from "./use-tab-title";
import { useTell } from "./use-tell";

export interface RunAlertsProps {
  /** When the page was opened: what its list says at first is no news then. */
  wasLookedAt: boolean;
}

/** While nobody looks at Meguri: a notification, the icon of the tab and its title say what has ended. */
export default function RunAlerts({ wasLookedAt }: RunAlertsProps) {
  const marks = useMarks(wasLookedAt);
  const sign = signOf(marks, conversationIn(usePathname()));
  useTabTitle(usePrefix(sign));
  return <TabIcon href={sign && iconOf(sign.kind)} />;
}

/** What has ended since somebody looked; has it told where that is this tab's turn. */
function useMarks(wasLookedAt: boolean): readonly EndedRun[] {
  const [marks, setMarks] = useState<readonly EndedRun[]>(none);
  const router = useRouter();
  const tell = useTell((path) => router.push(path));
  const { data } = useConversations();
  const latest = useRef({ tell, data });
  latest.current = { tell, data };
  const watch = useRef<RunWatch>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    let current = none;
    const made = new RunWatch({
      view: () => ({ conversationId: conversationIn(location.pathname), isLookedAt: isLookedAt() }),
      kinds: () => readPreferences().kinds,
      tell: (run) => latest.current.tell(run, () => current.includes(run)),
      onMarks: (next) => {
        current = next;
        setMarks(next);
      },
    });
    watch.current = made;
    const isRunning = () => latest.current.data?.items.some(({ status }) => status === "running") ?? false;
    const stop = followLook(() => made.looked(), isRunning);
    return () => {
      stop();
      made.close();
    };
  }, []);
  useEffect(() => {
    // What cannot be told, because the page is about to go, is told by the next one.
    if (data) watch.current?.take(data.items, wasLookedAt && isFirst.current).catch(() => {});
    isFirst.current = false;
  }, [data, wasLookedAt]);
  useEffect(() => keepNotifications(new Set(marks.map(({ conversationId }) => conversationId))), [marks]);
  return marks;
}

/** Calls `onLook` when somebody comes back, and keeps the list fresh until then; returns how to stop. */
function followLook(onLook: () => void, isRunning: () => boolean): () => void {
  let wasAway = true;
  const look = () => {
    const isBack = isLookedAt();
    if (isBack && wasAway) onLook();
    wasAway = !isBack;
  };
  const events = [
    [window, "focus"],
    [window, "blur"],
    [document, "visibilitychange"],
  ] as const;
  for (const [target, name] of events) target.addEventListener(name, look);
  const stopPolling = pollWhileAway({
    isAway: () => !isLookedAt() && readPreferences().kinds.length > 0,
    isRunning,
    poll: pollConversations,
    isTold,
    onTold: (listener) =>
      hearNews((news) => {
        if (news === "conversations") listener();
      }),
    // The focus can go and come back by a frame of the page, without an event.
    onPace: look,
  });
  return () => {
    for (const [target, name] of events) target.removeEventListener(name, look);
    stopPolling();
  };
}

const none: readonly EndedRun[] = [];

/** "(2) ": in how many conversations, or the word for what became of the one that is shown. */
function usePrefix(sign: TabSign | null): string {
  const t = useTranslations("notifications.tab");
  if (!sign) return "";
  if (!sign.isOwn) return `(${sign.count}) `;
  // The title of a conversation that waits says so by itself.
  return sign.kind === "waiting" ? "" : `(${t(sign.kind)}) `;
}

/** After the icon of the application, so that browsers take it; then with that one's address, as they ignore its removal. */
function TabIcon({ href }: { href: string | null }) {
  const [own, setOwn] = useState<string | null>(null);
  useEffect(() => {
    if (href !== null && own === null)
      setOwn(document.querySelector<HTMLLinkElement>("link[rel=icon]:not([data-sign])")?.href ?? "/icon.svg");
  }, [href, own]);
  const shown = href ?? own;
  return shown && <link data-sign rel="icon" type="image/svg+xml" sizes="any" href={shown} />;
}
