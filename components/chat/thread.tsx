"use client";

import { type ReactNode, useCallback, useDeferredValue, useEffect, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { ConversationStore } from "@/lib/client/conversation/conversation-store";
import { useTurn } from "@/lib/client/conversation/use-conversation";
import { drawnTurns } from "@/lib/protocol/opened-conversation";
import { ShowFromTop } from "./cards/show-from-top";
import { OtherBranch } from "./find/other-branch";
import { useFind } from "./find/use-find";
import { useMessageTarget } from "./find/use-message-target";
import { useQuestionKeys } from "./find/use-question-keys";
import MarkdownText from "./markdown/markdown-text";
import { Turn, type TurnProps } from "./turn/turn";
import type { TurnActions } from "./turn/turn-actions";
import { type FollowEnd, useFollowEnd } from "./use-follow-end";

export interface ThreadProps {
  conversation: ConversationStore;
  state: ConversationState;
  actions: TurnActions;
  modelName(id: string | null): string | undefined;
  onOlder(): Promise<void>;
  /** The questions that wait, under the last turn. */
  card: ReactNode;
  /** Below all turns. */
  end?: ReactNode;
}

/** All turns on one sheet. It follows the end while one reads there, and stands still when one has scrolled away. */
export function Thread({ conversation, state, actions, modelName, onOlder, card, end }: ThreadProps) {
  const t = useTranslations("chat.thread");
  const follow = useFollowEnd();
  const { scrollRef, isAtEnd, toEnd } = follow;
  const { turns, hasMore, loadingOlder } = state;
  // A conversation opens at its end: what stands above is drawn after it, without holding up a key.
  const isWhole = useDeferredValue(true, false);
  const last = turns.at(-1);
  const busy = state.liveRunId !== null || state.sending;
  // One that has waited does not take the page from under a reader.
  const isAsked = last?.question?.id === null || state.queue.news?.kind === "stop";
  useFollowNewQuestion(last?.key, isAsked, toEnd);
  const keepPlace = useKeepPlace(scrollRef, turns[0]?.key);
  const loadOlder = () => {
    keepPlace();
    return onOlder();
  };
  const { stop, isFollowing } = follow;
  useMessageTarget({ conversation, scrollRef, sending: state.sending, stop });
  useQuestionKeys({ scrollRef, isFollowing, stop, toEnd, hasMore, loadOlder });
  const find = useFind({ conversation, scrollRef, stop });
  useLoadOnScroll(scrollRef, hasMore && !loadingOlder, loadOlder);
  const showFromTop = useShowFromTop(follow);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {find}
      {state.branchLeafId !== null && (
        <OtherBranch
          onChoose={() => state.branchLeafId !== null && actions.showSibling(state.branchLeafId)}
          onBack={() => void conversation.showBranch(null)}
        />
      )}
      <div
        ref={follow.setScroll}
        data-scroll=""
        className="flex min-h-0 flex-1 flex-col overflow-auto thin-bar"
      >
        <div ref={follow.setContent} className={columnLook}>
          {hasMore && (
            <div className="flex justify-center pt-2">
              <Button small tone="quiet" onClick={loadOlder} disabled={loadingOlder} aria-busy={loadingOlder}>
                {t("older")}
              </Button>
            </div>
          )}
          {(isWhole ? turns : turns.slice(-drawnTurns)).map((turn) => (
            <ThreadTurn
              key={turn.key}
              conversation={conversation}
              isLast={turn === last}
              turn={turn}
              Text={MarkdownText}
              actions={actions}
              busy={busy}
              modelName={modelName(turn.answer?.model ?? null)}
              card={turn === last ? <ShowFromTop value={showFromTop}>{card}</ShowFromTop> : null}
            />
          ))}
          {end}
        </div>
      </div>
      {!isAtEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-2 z-3 column flex justify-end group-data-asked/chat:hidden">
          <button
            type="button"
            aria-label={t("latest")}
            title={t("latest")}
            className="pointer-events-auto relative grid size-7 animate-[appear_var(--fast)_var(--ease)] place-items-center rounded-full border border-rule-2 bg-raised text-ink-2 shadow-lift before:absolute before:-inset-2 hover:bg-paper-3 focus-visible:rounded-full"
            onClick={toEnd}
          >
            <Icon name="arrowDown" size={14} />
          </button>
        </div>
      )}
    </div>
  );
}

interface ThreadTurnProps extends TurnProps {
  conversation: ConversationStore;
  isLast: boolean;
}

/** Renders with each piece of its answer; the thread round it does not. */
function ThreadTurn({ conversation, isLast, turn, ...rest }: ThreadTurnProps) {
  return <Turn turn={useTurn(conversation, turn, isLast)} {...rest} />;
}

/** What is far away is not laid out; its height is remembered, so that nothing jumps. */
const columnLook =
  "column animate-[appear_var(--fast)_var(--ease)] pb-6 group-data-asked/chat:pinned:pb-0 far-turns";

/** A question that was just asked is shown, wherever one was reading. */
function useFollowNewQuestion(key: string | undefined, isAsked: boolean, toEnd: () => void): void {
  const known = useRef(key);
  useEffect(() => {
    if (isAsked && key !== undefined && known.current !== undefined && key !== known.current) toEnd();
    known.current = key;
  }, [key, isAsked, toEnd]);
}

/**
 * A question that is taller than the window is read from its top: there the thread stands still. What a question shows
 * may come in after it, so it is watched until it has been that tall once.
 */
function useShowFromTop({ scrollRef, stop, isFollowing }: FollowEnd): (card: HTMLElement) => () => void {
  return useCallback(
    (card) => {
      const look = () => {
        const element = scrollRef.current;
        if (!element || heightOf(card) <= element.clientHeight) return;
        observer.disconnect();
        // Whoever has scrolled away, or writes in it, stays where they are.
        if (!isFollowing() || card.querySelector(":focus")) return;
        stop();
        card.scrollIntoView({ block: "start" });
      };
      const observer = new ResizeObserver(look);
      observer.observe(card);
      look();
      return () => observer.disconnect();
    },
    [scrollRef, stop, isFollowing],
  );
}

/** With the room that it keeps for answers that are pinned over its end. */
const heightOf = (card: HTMLElement) =>
  card.offsetHeight + Number.parseFloat(getComputedStyle(card).marginBottom);

/** Older turns come in above; what one looks at stays where it is. Call what it returns before they are fetched. */
function useKeepPlace(
  scrollRef: { readonly current: HTMLElement | null },
  firstKey: string | undefined,
): () => void {
  const fromEnd = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another first turn is what moves the others
  useLayoutEffect(() => {
    const element = scrollRef.current;
    if (!element || fromEnd.current === null) return;
    element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = null;
  }, [scrollRef, firstKey]);
  // One may go on scrolling until they have come.
  useEffect(() => {
    const element = scrollRef.current;
    const scrolled = () => {
      if (element && fromEnd.current !== null) fromEnd.current = element.scrollHeight - element.scrollTop;
    };
    element?.addEventListener("scroll", scrolled, { passive: true });
    return () => element?.removeEventListener("scroll", scrolled);
  }, [scrollRef]);
  return () => {
    const element = scrollRef.current;
    if (element) fromEnd.current = element.scrollHeight - element.scrollTop;
  };
}

/** Older turns are fetched before their place is reached, px. */
const ahead = 800;

/** Calls `load` when one scrolls up to near the top. */
function useLoadOnScroll(
  scrollRef: { readonly current: HTMLElement | null },
  active: boolean,
  load: () => void,
): void {
  const current = useRef(load);
  current.current = load;
  useEffect(() => {
    const element = scrollRef.current;
    if (!active || !element) return;
    let top = element.scrollTop;
    const scrolled = () => {
      const isUpwards = element.scrollTop < top;
      top = element.scrollTop;
      if (!isUpwards || top > ahead) return;
      element.removeEventListener("scroll", scrolled);
      current.current();
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => element.removeEventListener("scroll", scrolled);
  }, [scrollRef, active]);
}
