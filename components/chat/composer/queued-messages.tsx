"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { QueueLine } from "@/lib/client/conversation/conversation-state";
import { QueuedLine } from "./queued-line";
import { useLineEdit } from "./use-line-edit";
import { placed, useLineOrder } from "./use-line-order";
import type { SendChoices } from "./use-send-options";

export interface QueuedMessagesProps {
  chat: ChatStore;
  lines: readonly QueueLine[];
  /** An answer is written or waits: what is here goes into it or follows it by itself. */
  goesOn: boolean;
  options: SendChoices;
  /** Puts words that have no line any more into the message field. */
  onLeftOver(text: string): void;
}

/** More are folded. */
const openLines = 4;

/** What was said meanwhile, above the message field, until the model has it. */
export default function QueuedMessages({ chat, lines, goesOn, options, onLeftOver }: QueuedMessagesProps) {
  const t = useTranslations("chat.queue");
  const list = useRef<HTMLOListElement>(null);
  const [isWhole, setWhole] = useState(false);
  const order = useLineOrder(lines, list, (line, before) => {
    // What is moved there would be out of sight, and the focus with it.
    if (placed(lines, line.key, before).findIndex(({ key }) => key === line.key) >= openLines) setWhole(true);
    void chat.changeQueued(line.id, { before });
  });
  const editing = useLineEdit(chat, lines, onLeftOver);
  if (lines.length === 0) return null;
  const isOpen = isWhole || order.lines.findIndex(({ key }) => key === editing.key) >= openLines;
  const folded = isOpen ? 0 : lines.length - openLines;
  // One that stands alone takes no less room than the words that fold it.
  const shown = folded > 1 ? order.lines.slice(0, openLines) : order.lines;
  return (
    <div className="max-h-[clamp(76px,60vh_-_220px,40vh)] overflow-y-auto py-1 pr-2 pl-3.5 rule-b thin-bar phone:pr-0">
      <ol ref={list} aria-label={t("label")}>
        {shown.map((line, at) => (
          <QueuedLine
            key={line.key}
            line={line}
            kind={!goesOn ? "held" : line.when}
            isFirst={shown[at - 1]?.when !== line.when}
            isDragged={order.dragged === line.key}
            editing={editing}
            order={order}
            onTurn={(when) => void chat.changeQueued(line.id, { when })}
            onTakeBack={() => void chat.takeBack(line.id)}
            onAskNow={async () => void chat.askNow(line, await options.current())}
          />
        ))}
      </ol>
      {lines.length - openLines > 1 && (
        <TextButton aria-expanded={isOpen} onClick={() => setWhole(!isOpen)}>
          {isOpen ? t("fewer") : t("more", { count: folded })}
        </TextButton>
      )}
    </div>
  );
}
