"use client";

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { useErrorText } from "@/components/ui/words/use-error-text";
import type { ConversationStore } from "@/lib/client/conversation/conversation-store";
import type { SearchItem } from "@/lib/protocol/search";
import { markWords } from "./mark-words";
import { reachMessage } from "./reach-message";
import { showPlace } from "./show-place";
import { type Hits, useHits } from "./use-hits";

const maxChars = 200;

export interface FindBarProps {
  conversation: ConversationStore;
  scrollRef: { readonly current: HTMLElement | null };
  /** The thread stands still from now on. */
  stop(): void;
  /** How often it was asked for: each time the focus goes to the field. */
  asked: number;
  /** Takes what was typed before the field was there. */
  typed(): string;
  onClose(): void;
}

/** Finds in all of the conversation, also in what is not loaded, and goes from message to message. */
export default function FindBar({ conversation, scrollRef, stop, asked, typed, onClose }: FindBarProps) {
  const t = useTranslations("chat.find");
  const errorText = useErrorText();
  const [sought, setSought] = useState("");
  const hits = useHits(conversation.getState().id, sought);
  const { at, note, go } = useSteps(hits, conversation, scrollRef, stop);
  const count = hits.items.length;
  const said = () => {
    if (hits.error) return errorText(hits.error);
    if (note) return t(note);
    if (count === 0) return t("none");
    return t(hits.more ? "positionOfMore" : "position", { number: at + 1, count });
  };
  return (
    <search className="block flex-none animate-[appear_var(--fast)_var(--ease)] bg-raised rule-b">
      <div className="column flex h-11 items-center gap-2 text-mach text-ink-3">
        <Icon name="search" size={14} />
        <FindField asked={asked} typed={typed} onSeek={setSought} onStep={go} onClose={onClose} />
        <span role="status" className="whitespace-nowrap">
          {sought !== "" && hits.query === sought && said()}
        </span>
        <IconButton
          icon="arrowUp"
          iconSize={14}
          label={t("previous")}
          disabled={count === 0}
          onClick={() => go(-1)}
        />
        <IconButton
          icon="arrowDown"
          iconSize={14}
          label={t("next")}
          disabled={count === 0}
          onClick={() => go(1)}
        />
        <IconButton icon="cross" iconSize={14} label={t("close")} tipSide="right-edge" onClick={onClose} />
      </div>
    </search>
  );
}

interface FindFieldProps extends Pick<FindBarProps, "asked" | "typed"> {
  /** The words to look for, trimmed; what an input method has not settled yet is not looked for. */
  onSeek(words: string): void;
  onStep(by: -1 | 1): void;
  onClose(): void;
}

function FindField({ asked, typed, onSeek, onStep, onClose }: FindFieldProps) {
  const t = useTranslations("chat.find");
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time it is asked for
  useLayoutEffect(() => {
    field.current?.focus();
    if (isFirst.current) {
      const text = typed();
      setQuery(text);
      onSeek(text.trim());
    } else field.current?.select();
    isFirst.current = false;
  }, [asked]);
  return (
    <input
      ref={field}
      type="text"
      enterKeyHint="search"
      className="h-11 min-w-0 flex-1 text-ink outline-none phone:text-[16px]"
      aria-label={t("label")}
      placeholder={t("label")}
      autoComplete="off"
      spellCheck={false}
      maxLength={maxChars}
      value={query}
      onCompositionEnd={({ currentTarget }) => onSeek(currentTarget.value.trim())}
      onChange={({ target, nativeEvent }) => {
        setQuery(target.value);
        if (!(nativeEvent as InputEvent).isComposing) onSeek(target.value.trim());
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Escape") onClose();
        else if (event.key === "Enter" || event.key === "ArrowDown" || event.key === "ArrowUp")
          onStep(event.key === "ArrowUp" || (event.key === "Enter" && event.shiftKey) ? -1 : 1);
        else return;
        event.preventDefault();
      }}
    />
  );
}

/** Which hit is shown, and the way to its neighbours; `note` says why one cannot be shown. */
function useSteps(
  { items, query }: Hits,
  conversation: ConversationStore,
  scrollRef: FindBarProps["scrollRef"],
  stop: () => void,
) {
  const [at, setAt] = useState(-1);
  const [note, setNote] = useState<"missing" | "tooFar" | "failed" | null>(null);
  /** The newest step counts: of one that takes long, what it finds is shown no more. */
  const step = useRef(0);
  const isShown = useRef(false);
  const show = useCallback(
    async (item: SearchItem, loads: boolean) => {
      const mine = ++step.current;
      isShown.current = false;
      setNote(null);
      const place =
        conversation.placeOf(item.messageId) ??
        (loads ? await reachMessage(conversation, item.messageId) : null);
      const scroller = scrollRef.current;
      if (!place || !scroller || mine !== step.current) return;
      if (typeof place === "string") return setNote(place);
      isShown.current = true;
      stop();
      await showPlace(scroller, place, { query, takesFocus: false });
    },
    [conversation, scrollRef, stop, query],
  );
  useEffect(() => () => void markWords(null, ""), []);
  // While one writes, the nearest hit that is there is shown; nothing is loaded for it.
  useEffect(() => {
    const first = nearest(items, conversation, scrollRef.current);
    setAt(first);
    const item = items[first];
    if (item) void show(item, false);
    else markWords(null, "");
  }, [items, conversation, scrollRef, show]);
  const go = (by: -1 | 1) => {
    // One that was counted and is not loaded comes first.
    const next = isShown.current ? (at + by + items.length) % items.length : at;
    const item = items[next];
    if (!item) return;
    setAt(next);
    void show(item, true);
  };
  return { at, note, go };
}

/** The first hit that stands in the window or below it, else the last one. */
function nearest(
  items: readonly SearchItem[],
  conversation: ConversationStore,
  scroller: HTMLElement | null,
): number {
  const top = scroller?.getBoundingClientRect().top ?? 0;
  let first = items.length - 1;
  for (const [at, { messageId }] of [...items.entries()].reverse()) {
    const place = conversation.placeOf(messageId);
    const turn = place && scroller?.querySelector(`[data-turn="${CSS.escape(place.turn)}"]`);
    // It is of another branch, or not loaded, as are all before it.
    if (!turn) continue;
    if (turn.getBoundingClientRect().bottom <= top) break;
    first = at;
  }
  return first;
}
