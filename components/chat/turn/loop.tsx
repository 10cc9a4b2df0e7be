"use client";

import { type ComponentType, memo, useContext, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { useNow } from "@/components/chat/parts/use-now";
import { Ring, type RingState } from "@/components/ui/ring";
import { useSentence } from "@/components/ui/words/sentences";
import { canForkAt, type ForkView, isKept } from "@/lib/client/run/messages-to-turns";
import type { LoopItem, LoopView, NoticeView, ReasoningView, ToolView } from "@/lib/client/run/run-view";
import { TurnForkContext } from "./fork-context";
import { JsonAnswer } from "./json-answer";
import type { BarSpan } from "./ledger-line";
import { PlanLine, usePlan } from "./plan-line";
import { ReasoningLine } from "./reasoning-line";
import { ToolLine, type ToolLineProps } from "./tool-line";

/** Draws a piece of the answer; `growing` is the one that is being written. */
export type AnswerText = ComponentType<{ text: string; growing: boolean }>;

export interface LoopProps {
  loop: LoopView;
  /** `run` and `held` only for the last loop of an answer. */
  state: Extract<RingState, "done" | "run" | "held">;
  /** What the clock of the run is behind the clock on the wall. */
  idleMs: number;
  isLast: boolean;
  Text: AnswerText;
  readOnly?: boolean | undefined;
  /** It falls away with the fork that is being made. */
  falls?: boolean;
}

/** One round: the model's turn and the calls that it asked for, joined by the thread. */
export const Loop = memo(function Loop({ loop, state, idleMs, isLast, Text, readOnly, falls }: LoopProps) {
  const t = useTranslations("chat.loop");
  const lives = state === "run";
  const isTicking = lives && loop.items.some(isGoing);
  const now = useNow(isTicking, 100) - idleMs;
  const { fork, at: forked } = useContext(TurnForkContext);
  const span = spanOf(loop, isTicking ? now : null);
  // It ended before the model had said a word: how is told below, and a ring without a line would be a hole.
  if (state === "held" && loop.items.length === 0) return null;
  return (
    // A group and no landmark: a conversation has many loops of the same name.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <section
      role="group"
      className="loop"
      data-loop={loop.number}
      aria-label={t("name", { number: loop.number })}
      aria-busy={lives}
      inert={falls}
    >
      <span className="loop-ring">
        <Ring state={state} number={loop.number} label={t(state, { number: loop.number })} />
      </span>
      {loop.items.map((item, at) =>
        // What waits stands in its card, once; and what is said again, where it was said last.
        (!readOnly && item.kind === "tool" && item.state === "waiting") ||
        saysTheSame(item, loop.items[at + 1]) ? null : (
          <Item
            // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever appended
            key={at}
            item={item}
            loop={loop}
            growing={lives && at === loop.items.length - 1}
            now={isGoing(item) ? now : null}
            span={span}
            wentOn={!isLast}
            isHeld={state === "held"}
            fork={fork}
            isReplaced={forked?.loop === loop.number && forked.part === "text"}
            Text={Text}
            readOnly={readOnly}
          />
        ),
      )}
      {lives && loop.items.length === 0 && <p className="markdown" data-growing="true" />}
    </section>
  );
});

const saysTheSame = (item: LoopItem, next: LoopItem | undefined) =>
  item.kind === "notice" && next?.kind === "notice" && item.message === next.message;

interface ItemProps {
  item: LoopItem;
  loop: LoopView;
  growing: boolean;
  now: number | null;
  span: Span;
  wentOn: boolean;
  isHeld: boolean;
  fork: ForkView | undefined;
  /** Its words give way to those that a person writes. */
  isReplaced: boolean;
  Text: AnswerText;
  readOnly: boolean | undefined;
}

function Item({
  item,
  loop,
  growing,
  now,
  span,
  wentOn,
  isHeld,
  fork,
  isReplaced,
  Text,
  readOnly,
}: ItemProps) {
  switch (item.kind) {
    case "text":
      return (
        <div className="contents" inert={isReplaced}>
          <Text text={item.text} growing={growing} />
        </div>
      );
    case "json":
      return <JsonAnswer text={item.text} />;
    case "reasoning":
      return (
        <ReasoningLine
          item={item}
          bar={barOf(item, now, span)}
          soFarMs={soFar(item, now)}
          readOnly={readOnly}
          kept={isKept(fork, loop)}
        />
      );
    case "tool":
      return (
        <CallLine
          item={item}
          whole={loop.whole}
          bar={barOf(item, now, span)}
          soFarMs={soFar(item, now)}
          wentOn={wentOn}
          isHeld={isHeld}
          readOnly={readOnly}
          loopNumber={loop.number}
          kept={isKept(fork, loop, item)}
          canFork={canForkAt(loop, fork)}
        />
      );
    case "notice":
      return item.about === "sampling" ? (
        <Folded label="sampled" text={item.message} />
      ) : (
        <Notice item={item} />
      );
    case "summary":
      // A shared page may have the place of it alone.
      return item.text !== "" && <Folded label="summarised" text={item.text} />;
  }
}

/** A call; of one that has proposed a plan, the plan as it stands. */
function CallLine(props: ToolLineProps) {
  const plan = usePlan(props.item.id);
  return plan ? <PlanLine plan={plan} /> : <ToolLine {...props} />;
}

/** What went on behind the answer; a retry counts down to its next try. */
function Notice({ item: { message, until } }: { item: NoticeView }) {
  const t = useTranslations("chat.loop");
  const inWords = useSentence();
  const [isOver, setOver] = useState(until === undefined);
  const now = useNow(!isOver, 250);
  const seconds = Math.ceil(((until ?? 0) - now) / 1_000);
  useEffect(() => {
    if (seconds <= 0) setOver(true);
  }, [seconds]);
  return (
    <p className="meta">
      {inWords(message)}
      {!isOver && seconds > 0 && <span aria-hidden="true"> · {t("retryIn", { seconds })}</span>}
    </p>
  );
}

/** What the model wrote for a server, or the notes with which it goes on: for whoever wants to know. */
function Folded({ label, text }: { label: "sampled" | "summarised"; text: string }) {
  const t = useTranslations("chat.loop");
  return (
    <details className="meta">
      <summary>{t(label)}</summary>
      <p className="whitespace-pre-wrap">{text}</p>
    </details>
  );
}

const isGoing = (item: LoopItem) =>
  (item.kind === "reasoning" && !item.done) || (item.kind === "tool" && item.state === "running");

/** What the 64 px stand for: from the start of the loop to the end of the last thing in it. */
interface Span {
  from: number;
  length: number;
}

function spanOf(loop: LoopView, now: number | null): Span {
  const timed = loop.items.filter((item) => item.kind === "reasoning" || item.kind === "tool");
  const from = loop.startedAt ?? Math.min(...timed.flatMap(({ startedAt }) => startedAt ?? []));
  const until = Math.max(from, ...timed.map((item) => endOf(item) ?? from), now ?? from);
  return { from, length: until - from };
}

function endOf(item: ReasoningView | ToolView): number | null {
  if (item.kind === "reasoning") return item.endedAt;
  return item.startedAt === null || item.durationMs === null ? null : item.startedAt + item.durationMs;
}

function barOf(item: ReasoningView | ToolView, now: number | null, { from, length }: Span): BarSpan | null {
  const until = endOf(item) ?? now;
  if (item.startedAt === null || until === null || !(length > 0)) return null;
  const part = (at: number) => Math.min(1, Math.max(0, (at - from) / length));
  const tone = item.kind === "tool" ? toneOf(item) : undefined;
  return { from: part(item.startedAt), to: part(until), ...(tone && { tone }) };
}

function toneOf({ state }: ToolView): BarSpan["tone"] {
  if (state === "running" || state === "unknown") return "run";
  return state === "failed" || state === "denied" ? "bad" : undefined;
}

function soFar(item: ReasoningView | ToolView, now: number | null): number | null {
  return now === null || item.startedAt === null ? null : Math.max(0, now - item.startedAt);
}
