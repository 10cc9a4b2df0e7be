"use client";

import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from "react";
import { useTranslations } from "use-intl";
import { Ring } from "@/components/ui/ring";
import { showClock } from "@/lib/client/durations";
import { useNow } from "./use-now";

/** Called with the first card, so that one that is taller than the window is seen from its top; returns what ends it. */
export const ShowFromTop = createContext<(card: HTMLElement) => () => void>(() => () => {});

export interface CardFrameProps {
  title: string;
  /** Whether it wants a yes or something that only the person knows. */
  asks: "consent" | "answer";
  /** When it began to wait, epoch ms. */
  since: number | null;
  isFirst: boolean;
  busy: boolean;
  /** Whether the card may take the focus: nobody is writing. */
  takesFocus(): boolean;
  onKeyDown?(event: KeyboardEvent, card: HTMLDivElement): void;
  children: ReactNode;
}

/** A question that only a person can answer: its title, since when it waits, and whatever it takes to answer it. */
export function CardFrame(props: CardFrameProps) {
  const { title, asks, since, isFirst, busy, takesFocus, onKeyDown, children } = props;
  const t = useTranslations("chat.card");
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  const showFromTop = useContext(ShowFromTop);
  useFirstFocus(card, takesFocus);
  useLayoutEffect(() => {
    if (isFirst && card.current) return showFromTop(card.current);
  }, [isFirst, showFromTop]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry its title as a heading
    <div
      ref={card}
      className="seal"
      role="group"
      aria-labelledby={id}
      aria-busy={busy}
      tabIndex={-1}
      data-first={isFirst || undefined}
      onKeyDown={(event) => card.current && onKeyDown?.(event, card.current)}
    >
      <span className="seal-ring">
        <Ring state="wait" size={20} />
      </span>
      <h3 id={id} className="seal-title">
        <span>{title}</span>
        <Since asks={asks} since={since} />
      </h3>
      {children}
      <p className="sr-only" role="alert">
        {t("announce", { asks, title })}
      </p>
    </div>
  );
}

function Since({ asks, since }: Pick<CardFrameProps, "asks" | "since">) {
  const t = useTranslations("chat.card");
  const now = useNow(since !== null, 1000);
  return (
    <small>
      <b className="font-semibold text-shu">{t("waiting", { asks })}</b>{" "}
      {since !== null && t("since", { time: showClock(Math.max(0, now - since)) })}
    </small>
  );
}

/** Goes to the question once, and only from where nobody is writing. */
function useFirstFocus(card: React.RefObject<HTMLDivElement | null>, takesFocus: () => boolean): void {
  const allowed = useRef(takesFocus);
  useEffect(() => {
    const { activeElement } = document;
    const idle = activeElement === document.body || activeElement?.matches(".box textarea, .stop");
    if (idle && allowed.current()) card.current?.focus({ preventScroll: true });
  }, [card]);
}
