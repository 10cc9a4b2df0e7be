"use client";

import { type KeyboardEvent, type ReactNode, useContext, useId, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { useNow } from "@/components/chat/parts/use-now";
import { IconButton } from "@/components/ui/controls/button";
import { Ring } from "@/components/ui/ring";
import { showClock } from "@/lib/client/run/durations";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { CardHead, type CardHeadline } from "./card-bar";
import { NextQuestion } from "./next-question";
import { ShowFromTop } from "./show-from-top";

/** Where a question is among those that wait. One is open at a time; the others keep what was changed in them. */
export interface CardPlace extends Omit<CardHeadline, "title"> {
  /** When it began to wait, epoch ms. */
  since: number | null;
  isOpen: boolean;
  /** It took the place of another one a moment ago: what is pressed now was meant for that one. */
  isArriving: boolean;
  /** The question after it. */
  next: PendingRequest | undefined;
  onStep(by: -1 | 1): void;
  /** Whether it may take the focus from the message field: nothing is written there. */
  takesFocus(): boolean;
}

export interface CardFrameProps extends CardPlace {
  title: string;
  /** The title as it was asked, which is said once, whatever is changed in the question afterwards. */
  announced?: string;
  /** Whether it wants a yes or something that only the person knows. */
  asks: "consent" | "answer";
  busy: boolean;
  onKeyDown?(event: KeyboardEvent, card: HTMLDivElement): void;
  children: ReactNode;
}

/** A question that only a person can answer: its title, since when it waits, and whatever it takes to answer it. */
export function CardFrame({
  title,
  announced = title,
  asks,
  busy,
  onKeyDown,
  children,
  ...place
}: CardFrameProps) {
  const t = useTranslations("chat.card");
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  const { isOpen, since, number, count, next, onStop, onStep } = place;
  useOpening(card, place);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry its title as a heading
    <div
      ref={card}
      data-card
      // It is no stop of the tab key: where the focus is shows in its answers.
      className={cardLook}
      role="group"
      aria-labelledby={id}
      aria-busy={busy || place.isArriving}
      tabIndex={-1}
      hidden={!isOpen}
      onKeyDown={(event) => {
        // A menu of the card is drawn elsewhere, and its keys are its own.
        if (!card.current?.contains(event.target as Node)) return;
        const by = event.target === card.current && stepOf(event);
        if (by) onStep(by);
        else onKeyDown?.(event, card.current);
      }}
    >
      <span className="absolute top-3.5 left-[calc(16px-var(--gutter))] phone:top-[18px] phone:left-4">
        <Ring state="wait" size={20} />
      </span>
      <div className="flex flex-wrap gap-x-3 phone:pl-[30px]">
        <h3
          id={id}
          className="min-w-0 flex-[1_1_12rem] font-voice text-voice text-pretty wrap-anywhere phone:flex-[1_0_100%]"
        >
          {title}
        </h3>
        <div className="flex h-7 items-center gap-3 text-micro whitespace-nowrap text-ink-2 phone:h-11 phone:flex-1 phone:justify-between">
          <Since asks={asks} since={since} />
          {count > 1 && <Steps number={number} count={count} onStep={onStep} />}
        </div>
      </div>
      <CardHead value={{ title, number, count, onStop }}>{children}</CardHead>
      {next && <NextQuestion request={next} />}
      <p className="sr-only" role="alert">
        {t("announce", { asks, title: announced })}
      </p>
    </div>
  );
}

/** The only fill across the column. Below it, on phones, is room for the answers that are pinned over its end. */
const cardLook =
  "relative -mx-4 mt-1 mb-3 border-t-2 border-b border-t-shu border-b-shu-rule bg-shu-wash px-4 pt-3.5 pb-[15px] animate-[appear_var(--calm)_var(--ease)] focus:rounded-none focus:outline-none phone:-ml-[calc(var(--gutter)+16px)] pinned:mb-(--answers,0)";

function stepOf({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): -1 | 1 | undefined {
  if (altKey || ctrlKey || metaKey || shiftKey) return undefined;
  return ({ ArrowLeft: -1, ArrowRight: 1 } as const)[key];
}

/** "1 of 2", with a way to the others. */
function Steps({ number, count, onStep }: Pick<CardPlace, "number" | "count" | "onStep">) {
  const t = useTranslations("chat.card.steps");
  return (
    <span className="-mr-1.5 flex items-center phone:-mr-3.5">
      <IconButton
        icon="chevronLeft"
        iconSize={14}
        className="h-6 w-6 phone:h-11 phone:w-11"
        label={t("previous")}
        disabled={number === 1}
        onClick={() => onStep(-1)}
      />
      <span>{t("position", { number, count })}</span>
      <IconButton
        icon="chevronRight"
        iconSize={14}
        className="h-6 w-6 phone:h-11 phone:w-11"
        label={t("next")}
        tipSide="right-edge"
        disabled={number === count}
        onClick={() => onStep(1)}
      />
    </span>
  );
}

function Since({ asks, since }: Pick<CardFrameProps, "asks" | "since">) {
  const t = useTranslations("chat.card");
  const now = useNow(since !== null, 1000);
  return (
    <span>
      <b className="font-semibold text-shu">{t("waiting", { asks })}</b>{" "}
      {since !== null && <span title={t("since")}>{showClock(Math.max(0, now - since))}</span>}
    </span>
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
    const follows = opening.current.isArriving || activeElement?.closest("[data-card][hidden]");
    const isFree = activeElement === document.body || activeElement?.closest("[data-card][hidden]");
    const isField = activeElement?.matches("[data-box] textarea, [data-stop]");
    if ((isFree && follows) || ((isFree || isField) && opening.current.takesFocus()))
      element.focus({ preventScroll: true });
    if (follows) bringIntoSight(element);
    return showFromTop(element);
  }, [isOpen, card, showFromTop]);
}

/** Whole where that can be, else from its top. */
export function bringIntoSight(card: HTMLElement): void {
  const room = card.closest("[data-scroll]")?.clientHeight ?? innerHeight;
  card.scrollIntoView({ block: card.offsetHeight > room ? "start" : "nearest" });
}

/** Keys answer only a question that can be seen. */
export function isInSight(card: HTMLElement): boolean {
  const { top, bottom } = card.getBoundingClientRect();
  const around = card.closest("[data-scroll]")?.getBoundingClientRect();
  return !around || (bottom > around.top && top < around.bottom);
}
