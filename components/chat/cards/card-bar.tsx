"use client";

import { createContext, type ReactNode, useContext, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/button";

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
    <div ref={bar} className="seal-answer">
      {head && (
        <div className="seal-bar">
          <p aria-hidden="true">{head.title}</p>
          {head.count > 1 && (
            <small aria-hidden="true">
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

/** The end of the card has to be readable above its pinned answers, however many lines they take. */
function useRoomBelow(bar: React.RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current;
    const card = element?.closest<HTMLElement>(".seal");
    if (!element || !card) return;
    const observer = new ResizeObserver(() =>
      card.style.setProperty("--answers", `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [bar]);
}
