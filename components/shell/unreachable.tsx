"use client";

import { usePathname } from "next/navigation";
import { useOffline } from "next/offline";
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { arrived, setDetour } from "@/components/ui/go";
import { unreachedEvent } from "@/lib/client/http/http";
import { watchReach } from "@/lib/client/http/reach";

/** While no server answers: a line at the foot of the page says so, and conversations open without asking one for their page. */
export function Unreachable() {
  const t = useTranslations("shell.unreachable");
  const [isReached, setReached] = useState(true);
  useEffect(() => watchReach(setReached), []);
  // A page that was asked for and got no answer is no request of ours.
  const hasFailed = useOffline();
  useEffect(() => {
    if (hasFailed) dispatchEvent(new Event(unreachedEvent));
  }, [hasFailed]);
  const pathname = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each new address
  useEffect(arrived, [pathname]);
  useEffect(() => {
    if (isReached) return;
    setDetour(showConversation);
    document.documentElement.style.setProperty("--notice", "40px");
    return () => {
      setDetour(null);
      document.documentElement.style.removeProperty("--notice");
    };
  }, [isReached]);
  return (
    <div role="status">
      {!isReached && (
        <p className="fixed inset-x-0 bottom-0 z-6 flex h-10 items-center justify-center gap-2 bg-paper-2 px-4 text-mach text-ink-2 rule-t print:hidden">
          <b className="truncate font-semibold text-ink">{t("lost")}</b>
          <span className="truncate phone:hidden">{t("kept")}</span>
          <span className="flex-none text-ink-3">{t("again")}</span>
        </p>
      )}
    </div>
  );
}

const hasConversations = /^\/(?:c\/[^/]+|p\/[^/]+)?$/;
const isConversation = /^\/(?:c\/[^/]+)?$/;

/** The page of one conversation shows another one as soon as its address is there. */
function showConversation(path: string): boolean {
  if (!hasConversations.test(location.pathname) || !isConversation.test(path)) return false;
  if (path !== location.pathname) window.history.pushState(null, "", path);
  return true;
}
