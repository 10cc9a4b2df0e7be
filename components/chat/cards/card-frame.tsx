"use client";

import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
} from "react";
import { useTranslations } from "use-intl";
import { useNow } from "@/components/chat/parts/use-now";
import { Icon } from "@/components/ui/icon";
import { Ring } from "@/components/ui/ring";
import { showClock } from "@/lib/client/run/durations";
import { CardHead, type CardHeadline } from "./card-bar";

/** Called with a card that opens, so that one that is taller than the window is seen from its top; returns what ends it. */
export const ShowFromTop = createContext<(card: HTMLElement) => () => void>(() => () => {});

/** Where a question is among those that wait. One is open at a time; the others keep what was changed in them. */
export interface CardPlace extends Omit<CardHeadline, "title"> {
  /** When it began to wait, epoch ms. */
  since: number | null;
  isOpen: boolean;
  /** It took the place of another one a moment ago: what is pressed now was meant for that one. */
  isArriving: boolean;
  onStep(by: -1 | 1): void;
  /** Whether it may take the focus from the message field: nothing is written there. */
  takesFocus(): boolean;
}

export interface CardFrameProps extends CardPlace {
  title: string;
  /** Whether it wants a yes or something that only the person knows. */
  asks: "consent" | "answer";
  busy: boolean;
  onKeyDown?(event: KeyboardEvent, card: HTMLDivElement): void;
  children: ReactNode;
}

/** A question that only a person can answer: its title, since when it waits, and whatever it takes to answer it. */
export function CardFrame({ title, asks, busy, onKeyDown, children, ...place }: CardFrameProps) {
  const t = useTranslations("chat.card");
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  const { isOpen, since, number, count, onStop, onStep } = place;
  useOpening(card, place);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry its title as a heading
    <div
      ref={card}
      className="seal"
      role="group"
      aria-labelledby={id}
      aria-busy={busy || place.isArriving}
      tabIndex={-1}
      hidden={!isOpen}
      onKeyDown={(event) => {
        if (!card.current) return;
        const by = event.target === card.current && stepOf(event);
        if (by) onStep(by);
        else onKeyDown?.(event, card.current);
      }}
    >
      <span className="seal-ring">
        <Ring state="wait" size={20} />
      </span>
      <div className="seal-head">
        <h3 id={id} className="seal-title">
          <span>{title}</span>
          <Since asks={asks} since={since} />
        </h3>
        {count > 1 && <Steps number={number} count={count} onStep={onStep} />}
      </div>
      <CardHead value={{ title, number, count, onStop }}>{children}</CardHead>
      <p className="sr-only" role="alert">
        {t("announce", { asks, title })}
      </p>
    </div>
  );
}

function stepOf({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): -1 | 1 | undefined {
  if (altKey || ctrlKey || metaKey || shiftKey) return undefined;
  return ({ ArrowLeft: -1, ArrowRight: 1 } as const)[key];
}

/** "1 of 2", with a way to the others. */
function Steps({ number, count, onStep }: Pick<CardPlace, "number" | "count" | "onStep">) {
  const t = useTranslations("chat.card.steps");
  return (
    <span className="sib seal-steps">
      <button type="button" aria-label={t("previous")} disabled={number === 1} onClick={() => onStep(-1)}>
        <Icon name="chevronLeft" size={14} />
      </button>
      <span>{t("position", { number, count })}</span>
      <button type="button" aria-label={t("next")} disabled={number === count} onClick={() => onStep(1)}>
        <Icon name="chevronRight" size={14} />
      </button>
    </span>
  );
}

function Since({ asks, since }: Pick<CardFrameProps, "asks" | "since">) {
  const t = useTranslations("chat.card");
  const now = useNow(since !== null, 1000);
  return (
    <small>
      <b className="font-semibold text-shu">{t("waiting", { asks })}</b>{" "}
      {since !== null && <span title={t("since")}>{showClock(Math.max(0, now - since))}</span>}
    </small>
  );
}

/** A card that opens takes the focus, so that its keys work: from the card before it, or from where nobody is writing. */
function useOpening(
  card: React.RefObject<HTMLDivElement | null>,
  { isOpen, isArriving, takesFocus }: CardPlace,
): void {
  const showFromTop = useContext(ShowFromTop);
  const opening = useRef({ isArriving, takesFocus });
  opening.current = { isArriving, takesFocus };
  useLayoutEffect(() => {
    const element = card.current;
    if (!isOpen || !element) return;
    const { activeElement } = document;
    const follows = opening.current.isArriving || activeElement?.closest(".seal[hidden]");
    const isFree =
      activeElement === document.body || activeElement?.matches(".seal[hidden], .seal[hidden] *");
    const isField = activeElement?.matches(".box textarea, .stop");
    if ((isFree && follows) || ((isFree || isField) && opening.current.takesFocus()))
      element.focus({ preventScroll: true });
    if (follows) bringIntoSight(element);
    return showFromTop(element);
  }, [isOpen, card, showFromTop]);
}

/** Whole where that can be, else from its top. */
export function bringIntoSight(card: HTMLElement): void {
  const room = card.closest(".scroll")?.clientHeight ?? innerHeight;
  card.scrollIntoView({ block: card.offsetHeight > room ? "start" : "nearest" });
}

/** Keys answer only a question that can be seen. */
export function isInSight(card: HTMLElement): boolean {
  const { top, bottom } = card.getBoundingClientRect();
  const around = card.closest(".scroll")?.getBoundingClientRect();
  return !around || (bottom > around.top && top < around.bottom);
}
