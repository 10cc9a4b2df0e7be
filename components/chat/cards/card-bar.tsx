"use client";

import { createContext, type ReactNode, useContext, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";

/** What a card says of itself to the bar with its answers. */
export interface CardHeadline {
  title: string;
  /** From 1, oldest first. */
  number: number;
  count: number;
  onStop(): void;
}

export const CardHead = createContext<CardHeadline | null>(null);

/**
 * The answers of a card. On phones they are pinned to the bottom in place of the message field, where the title may
 * have scrolled away: there they name the question, and bring along the Stop of the message field.
 */
export function CardBar({ children, ownStop }: { children: ReactNode; ownStop?: boolean }) {
  const t = useTranslations("chat");
  const bar = useRef<HTMLDivElement>(null);
  const head = useContext(CardHead);
  useRoomBelow(bar);
  return (
    <div
      ref={bar}
      className="pinned:fixed pinned:inset-x-0 pinned:bottom-0 pinned:z-5 pinned:border-t pinned:border-shu-rule pinned:bg-shu-wash pinned:px-4 pinned:pt-3 pinned:pb-[max(16px,env(safe-area-inset-bottom))]"
    >
      {head && (
        <div data-card-bar className="mb-2 hidden items-center gap-3 pinned:flex">
          <p
            aria-hidden="true"
            className="line-clamp-3 min-w-0 flex-1 font-voice text-[16px]/[22px] wrap-anywhere"
          >
            {head.title}
          </p>
          {head.count > 1 && (
            <small aria-hidden="true" className="text-mach whitespace-nowrap text-ink-2">
              {t("card.steps.position", { number: head.number, count: head.count })}
            </small>
          )}
          {!ownStop && <Button onClick={head.onStop}>{t("composer.stop")}</Button>}
        </div>
      )}
      {children}
    </div>
  );
}

/** The answers in a row, and what else can be done at its right; on phones the first has a row with at most a menu. */
export function CardActs({ hasMenu = false, children }: { hasMenu?: boolean; children: ReactNode }) {
  return (
    <div
      className={cn(
        "mt-4 flex flex-wrap items-center gap-2 phone:grid phone:*:justify-center pinned:mt-0",
        hasMenu
          ? "phone:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_44px] phone:*:first:col-span-2 phone:*:nth-[3]:col-span-2"
          : "phone:grid-cols-2 phone:*:first:col-span-full",
      )}
    >
      {children}
    </div>
  );
}

/** The end of the card has to be readable above its pinned answers, however many lines they take. */
function useRoomBelow(bar: React.RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    const card = element?.closest<HTMLElement>("[data-card]");
    if (!element || !card) return;
    const observer = new ResizeObserver(() =>
      card.style.setProperty("--answers", `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [bar]);
}
