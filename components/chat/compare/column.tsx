"use client";

import { type RefObject, useCallback, useMemo } from "react";
import { useTranslations } from "use-intl";
import { WaitingCards } from "@/components/chat/cards/waiting-cards";
import type { ComposerHandle } from "@/components/chat/composer/message-field";
import { FailureLine } from "@/components/chat/failure-line";
import { LiveRegion } from "@/components/chat/live-region";
import MarkdownText from "@/components/chat/markdown/markdown-text";
import { CallCanceller } from "@/components/chat/turn/tool-detail";
import { Turn } from "@/components/chat/turn/turn";
import { useFollowEnd } from "@/components/chat/use-follow-end";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { Skeleton } from "@/components/ui/skeleton";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { type Column as ComparedColumn, progressOf } from "@/lib/client/conversation/comparison";
import { useTurn } from "@/lib/client/conversation/use-conversation";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { ToolCallId } from "@/lib/protocol/ids";
import { ColumnRing, useColumn, wordOf } from "./column-state";

export interface ColumnProps {
  column: ComparedColumn;
  name: string;
  /** The key that chooses it. */
  number: number;
  /** Its name and state stand in a tab. */
  hasTab: boolean;
  composer: RefObject<ComposerHandle | null>;
  isChoosing: boolean;
  onChoose(): void;
}

/** The answer of one model: it scrolls, asks and ends by itself. */
export function Column({ column, name, number, hasTab, composer, isChoosing, onChoose }: ColumnProps) {
  const t = useTranslations("chat.compare");
  const common = useTranslations("common");
  const { chat } = column;
  const { conversation } = chat;
  const state = useColumn(chat);
  const { setScroll, setContent } = useFollowEnd();
  const cancel = useCallback((id: ToolCallId) => chat.cancelCall(id), [chat]);
  const last = state.turns.at(-1);
  const progress = progressOf(state);
  const word = wordOf(state);
  const stop = () => {
    const runId = last?.answer?.view.runId;
    void (progress === "waiting" && runId ? chat.stopWaiting(runId) : chat.stop());
  };
  const card = <WaitingCards chat={chat} state={state} composer={composer} onStop={stop} />;
  return (
    <CallCanceller value={cancel}>
      <header className="flex h-10 flex-none items-center gap-2 px-6 text-mach whitespace-nowrap rule-b phone:px-4">
        {!hasTab && (
          <>
            <ColumnRing chat={chat} isSilent />
            <h2 className="min-w-0 truncate font-semibold">{name}</h2>
          </>
        )}
        <span className={cn("meta", progress === "waiting" && "text-shu")}>{t(`state.${word}`)}</span>
        {progress !== "ended" && (
          <IconButton
            icon="stop"
            iconSize={12}
            className="ml-auto"
            label={t("stopOne", { name })}
            tipSide="right-edge"
            disabled={state.phase === "loading"}
            onClick={stop}
          />
        )}
      </header>
      <div
        ref={setScroll}
        data-scroll=""
        className="min-h-0 flex-1 overflow-y-auto px-6 pb-3 thin-bar phone:px-4"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
      >
        <div ref={setContent}>
          {state.phase === "loading" && <Skeleton lines={3} label={common("loading")} />}
          {state.phase === "failed" && (
            <p role="alert" className="pt-3 text-mach">
              {t("failed")}{" "}
              <Button small onClick={() => void conversation.refresh()}>
                {common("tryAgain")}
              </Button>
            </p>
          )}
          {last && <Answer chat={chat} turn={last} card={card} />}
        </div>
      </div>
      {/* Above where the text runs out into the foot of the screen. */}
      <footer className="flex-none px-6 pb-7 phone:px-4">
        <FailureLine chat={chat} state={state} />
        {progress === "ended" && state.phase === "ready" && (
          <Button
            className="w-full justify-center"
            {...(!hasTab && { keys: String(number) })}
            disabled={isChoosing}
            onClick={onChoose}
          >
            {t("goOn")}
          </Button>
        )}
      </footer>
      <LiveRegion state={state} by={name} />
    </CallCanceller>
  );
}

/** Without the question, which stands above all of them, and without what would begin something else here. */
function Answer({ chat, turn, card }: { chat: ChatStore; turn: TurnView; card: React.ReactNode }) {
  const now = useTurn(chat.conversation, turn, true);
  const shown = useMemo<TurnView>(
    () => ({ ...now, question: null, answer: now.answer && { ...now.answer, model: null } }),
    [now],
  );
  return <Turn turn={shown} Text={MarkdownText} card={card} />;
}
