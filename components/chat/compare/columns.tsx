"use client";

import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { ComposerHandle } from "@/components/chat/composer/message-field";
import MarkdownText from "@/components/chat/markdown/markdown-text";
import { Said } from "@/components/chat/turn/question";
import { Turn } from "@/components/chat/turn/turn";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import { Skeleton } from "@/components/ui/skeleton";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { modelChoice } from "@/lib/client/conversation/choose-model";
import { Comparison, progressOf } from "@/lib/client/conversation/comparison";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { useModels } from "@/lib/client/conversation/models";
import type { ComparedQuestion } from "@/lib/protocol/http";
import { Column } from "./column";
import { ColumnRing } from "./column-state";

export interface ColumnsProps {
  chat: ChatStore;
  state: ConversationState;
  composer: RefObject<ComposerHandle | null>;
}

/** The last question once, and below it each model's answer in a column of its own; where they do not fit, one with tabs. */
export default function Columns({ chat, state, composer }: ColumnsProps) {
  const questions = state.comparison ?? none;
  const models = useModels().data?.items;
  const comparison = useComparison(chat, questions);
  const place = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow(place, questions.length);
  const [at, setAt] = useState(0);
  const [choosing, setChoosing] = useState(false);
  const id = useId();
  const seen = isNarrow ? (questions[at]?.messageId ?? null) : null;
  useEffect(() => comparison?.see(seen), [comparison, seen]);
  const nameOf = (model: string) => models?.find((each) => each.id === model)?.name ?? model;
  const choose = async ({ messageId, model }: ComparedQuestion) => {
    setChoosing(true);
    const done = await chat.changes.goOnWith(messageId, modelChoice(model, models, state.choice?.effort));
    setChoosing(false);
    if (done && matchMedia("(hover: hover)").matches) composer.current?.focus();
  };
  useChoiceKeys((number) => {
    const column = comparison?.columns[number - 1];
    const state = column?.chat.conversation.getState();
    if (column && state?.phase === "ready" && progressOf(state) === "ended" && !choosing) void choose(column);
  });
  return (
    <div ref={place} className="flex min-h-0 flex-1 flex-col">
      <Asked state={state} />
      {isNarrow && <Tabs {...{ id, questions, comparison, at, nameOf }} onSee={setAt} />}
      <div
        className="grid min-h-0 flex-1 auto-cols-fr grid-flow-col rule-t"
        style={{ gridTemplateRows: "minmax(0, 1fr)" }}
      >
        {questions.map((question, index) => {
          const column = comparison?.columns[index];
          const isHidden = isNarrow && index !== at;
          return (
            <section
              key={question.model}
              id={`${id}-${index}`}
              {...(isNarrow
                ? { role: "tabpanel", "aria-labelledby": `${id}-tab-${index}` }
                : { "aria-label": nameOf(question.model) })}
              hidden={isHidden}
              className={cn(
                "flex min-h-0 min-w-0 flex-col [--gutter:28px] [&[hidden]]:hidden",
                index > 0 && !isNarrow && "shadow-[inset_1px_0_var(--rule)]",
              )}
            >
              {column ? (
                <Column
                  column={column}
                  name={nameOf(question.model)}
                  number={index + 1}
                  hasTab={isNarrow}
                  composer={composer}
                  isChoosing={choosing}
                  onChoose={() => void choose(question)}
                />
              ) : (
                <Coming name={nameOf(question.model)} />
              )}
            </section>
          );
        })}
      </div>
    </div>
  );
}

const none: readonly ComparedQuestion[] = [];

/** Follows all of them for as long as they are shown; null until the server has them. */
function useComparison(chat: ChatStore, questions: readonly ComparedQuestion[]): Comparison | null {
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const ids = questions.map(({ messageId }) => messageId).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same questions are the same comparison
  useEffect(() => {
    if (questions.some(({ messageId }) => messageId === "")) return;
    const next = new Comparison(chat, questions);
    chat.comparison = next;
    setComparison(next);
    const close = next.open();
    return () => {
      close();
      if (chat.comparison === next) chat.comparison = null;
    };
  }, [chat, ids]);
  return comparison?.isOf(questions) ? comparison : null;
}

/** The narrowest that a column can be, px. */
const minColumn = 240;

/** Whether the columns do not fit beside each other; on phones the answers of a card are pinned, and there is room for one. */
function useIsNarrow(place: RefObject<HTMLElement | null>, count: number): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setNarrow(element.clientWidth < minColumn * count || innerWidth <= 720),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, count]);
  return isNarrow;
}

/** 1 to 3 choose an answer, unless one writes or something is open over the page. */
function useChoiceKeys(choose: (number: number) => void): void {
  const latest = useRef(choose);
  latest.current = choose;
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, repeat, target } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || shiftKey || repeat) return;
      if (!["1", "2", "3"].includes(key) || document.querySelector("dialog[open], [role=menu]")) return;
      if (
        target instanceof Element &&
        target.closest("input, textarea, select, [contenteditable], [data-card]")
      )
        return;
      latest.current(Number(key));
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/** What was asked, once for all; what was said before it is folded. */
function Asked({ state }: { state: ConversationState }) {
  const t = useTranslations("chat");
  const [isShown, setShown] = useState(false);
  const before = state.turns.slice(0, -1);
  const question = state.turns.at(-1)?.question;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <div className="max-h-[40%] flex-none overflow-y-auto px-6 pt-4 pb-2 thin-bar phone:px-4" tabIndex={0}>
      {before.length > 0 && (
        <TextButton className="mb-2" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {t(isShown ? "compare.hideEarlier" : "compare.showEarlier")}
        </TextButton>
      )}
      {isShown && before.map((turn) => <Turn key={turn.key} turn={turn} Text={MarkdownText} />)}
      {question && (
        <div className="relative ml-(--gutter)" data-message={question.id}>
          <h2 className="sr-only">{t("question.said")}</h2>
          <Said text={question.text} files={question.files} acts={0} />
        </div>
      )}
    </div>
  );
}

function Coming({ name }: { name: string }) {
  const t = useTranslations("common");
  return (
    <div className="px-6 pt-3 phone:px-4">
      <Skeleton lines={3} label={`${name}: ${t("loading")}`} />
    </div>
  );
}

interface TabsProps {
  id: string;
  questions: readonly ComparedQuestion[];
  comparison: Comparison | null;
  at: number;
  nameOf(model: string): string;
  onSee(index: number): void;
}

/** Where there is room for one: the arrows go from one to the next. */
function Tabs({ id, questions, comparison, at, nameOf, onSee }: TabsProps) {
  const t = useTranslations("chat.compare");
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (at + step + questions.length) % questions.length;
    event.preventDefault();
    onSee(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={t("answers")}
      className="flex flex-none gap-5 overflow-x-auto px-6 text-mach [scrollbar-width:none] phone:px-4"
      onKeyDown={move}
    >
      {questions.map(({ model }, index) => {
        const column = comparison?.columns[index];
        return (
          <button
            key={model}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-${index}`}
            tabIndex={index === at ? 0 : -1}
            className="inline-flex flex-none items-center gap-1.5 leading-8 text-ink-2 hover:text-ink focus-visible:-outline-offset-2 aria-selected:font-semibold aria-selected:text-ink aria-selected:shadow-[inset_0_-2px_var(--ink)] phone:leading-11"
            onClick={() => onSee(index)}
          >
            {column && <ColumnRing chat={column.chat} />}
            {nameOf(model)}
          </button>
        );
      })}
    </div>
  );
}
