"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { isSendKey } from "@/components/chat/parts/is-send-key";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import type { QueueLine } from "@/lib/client/conversation/conversation-state";
import { QueuedActions, type QueuedActionsProps } from "./queued-actions";
import type { LineEdit } from "./use-line-edit";

export interface QueuedLineProps extends QueuedActionsProps {
  /** Of its kind: the others have no name beside them. */
  isFirst: boolean;
  isDragged: boolean;
}

/** One message that waits: what it is, and what can be done with it. */
export function QueuedLine({ line, kind, isFirst, isDragged, editing, order, ...acts }: QueuedLineProps) {
  const t = useTranslations("chat.queue");
  const isEdited = editing.key === line.key;
  const item = useRef<HTMLLIElement>(null);
  useFocusAfter(isEdited, item);
  return (
    <li
      ref={item}
      data-line={line.key}
      aria-busy={line.isSending}
      className={cn(
        "grid min-h-8 grid-cols-[116px_minmax(0,1fr)_auto] items-center phone:min-h-11 phone:grid-cols-[minmax(0,1fr)_auto]",
        isDragged && "bg-paper-3",
      )}
      onKeyDown={(event) => {
        const by = { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key];
        if (!by || !event.altKey || isEdited) return;
        event.preventDefault();
        order.step(line, by);
      }}
    >
      <span
        className={cn("text-micro text-ink-3 phone:col-span-full phone:pt-2", !isFirst && "phone:hidden")}
      >
        <span className={cn(!isFirst && "sr-only")}>{t(kind)}</span>
      </span>
      {isEdited ? <EditField editing={editing} /> : <Words line={line} />}
      <span className="flex items-center">
        {isEdited ? (
          <>
            <IconButton icon="check" iconSize={14} label={t("keep")} onClick={editing.keep} />
            <IconButton
              icon="cross"
              iconSize={14}
              label={t("leave")}
              tipSide="right-edge"
              onClick={editing.leave}
            />
          </>
        ) : (
          <QueuedActions line={line} kind={kind} editing={editing} order={order} {...acts} />
        )}
      </span>
    </li>
  );
}

/** As much of the words as a line, and what is said over it, can have use for. */
const shownChars = 500;

function Words({ line: { text: whole, attachments, tooLate } }: { line: QueueLine }) {
  const t = useTranslations("chat.queue");
  const text = whole.slice(0, shownChars);
  const names = attachments.map(({ name }) => name).join(", ");
  return (
    <span className="flex min-w-0 items-baseline gap-3 pr-3 phone:flex-wrap phone:gap-x-2 phone:gap-y-0 phone:py-1">
      {text !== "" && (
        <span className="min-w-0 truncate font-voice text-[15px]/6" title={text}>
          {text}
        </span>
      )}
      {names !== "" && (
        <span className="inline-flex max-w-full min-w-0 flex-none items-center gap-1 text-micro text-ink-3 not-only:max-w-1/3">
          <Icon name="attach" size={12} />
          <span className="truncate" title={names}>
            {names}
          </span>
        </span>
      )}
      {tooLate && <span className="flex-none text-micro text-ink-3">{t("tooLate")}</span>}
    </span>
  );
}

function EditField({ editing }: { editing: LineEdit }) {
  const t = useTranslations("chat.queue");
  return (
    <textarea
      ref={focusEnd}
      rows={1}
      aria-label={t("change")}
      className="my-0.5 field-sizing-content max-h-32 min-h-7 w-full resize-none rounded-chip border border-rule-2 bg-raised px-1.5 font-voice text-[15px]/6 outline-offset-0 focus-visible:border-ink focus-visible:outline-1 phone:text-[16px]"
      value={editing.draft}
      onChange={(event) => editing.write(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Escape") {
          event.preventDefault();
          // The answer goes on.
          event.stopPropagation();
          editing.leave();
        } else if (isSendKey(event)) {
          event.preventDefault();
          editing.keep();
        }
      }}
    />
  );
}

function focusEnd(field: HTMLTextAreaElement | null): void {
  if (!field || document.activeElement === field) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Where the change was begun, once it is over. */
function useFocusAfter(isEdited: boolean, item: { readonly current: HTMLElement | null }): void {
  const was = useRef(isEdited);
  useEffect(() => {
    if (was.current && !isEdited && document.activeElement === document.body)
      item.current?.querySelector<HTMLElement>("[data-change]")?.focus();
    was.current = isEdited;
  }, [isEdited, item]);
}
