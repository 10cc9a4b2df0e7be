"use client";

import { useTranslations } from "use-intl";
import { Button, IconButton, iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import type { QueueLine } from "@/lib/client/conversation/conversation-state";
import type { QueuedWhen } from "@/lib/protocol/http";
import type { LineEdit } from "./use-line-edit";
import { isMovable, type LineOrder } from "./use-line-order";

export interface QueuedActionsProps {
  line: QueueLine;
  /** `held`: nothing goes on that it could go into or follow. */
  kind: QueuedWhen | "held";
  editing: LineEdit;
  order: LineOrder;
  onTurn(when: QueuedWhen): void;
  onTakeBack(): void;
  onAskNow(): void;
}

/** Of the words in the name of a button. */
const nameChars = 60;

/** What can be done with a message that waits: buttons side by side, on phones a menu. */
export function QueuedActions(props: QueuedActionsProps) {
  const { line, kind, editing, order, onTurn, onTakeBack, onAskNow } = props;
  const t = useTranslations("chat.queue");
  const { isSending } = line;
  const other = kind === "after" ? "next_turn" : "after";
  const turn = kind === "after" ? t("toInto") : t("toAfter");
  const canMove = isMovable(line) && order.lines.filter(isMovable).length > 1;
  const entries: MenuEntry[] = [
    ...(kind === "held"
      ? [{ label: t("askNow"), onSelect: onAskNow }]
      : [
          {
            label: turn,
            icon: kind === "after" ? "into" : "download",
            onSelect: () => onTurn(other),
          } as const,
        ]),
    { label: t("change"), icon: "pencil", onSelect: () => editing.begin(line) },
    ...(canMove
      ? [
          { label: t("up"), icon: "arrowUp", onSelect: () => order.step(line, -1) } as const,
          { label: t("down"), icon: "arrowDown", onSelect: () => order.step(line, 1) } as const,
        ]
      : []),
    { label: t("takeBack"), icon: "cross", onSelect: onTakeBack },
  ];
  return (
    <>
      {kind === "held" && (
        <Button small tone="quiet" className="mr-1 phone:hidden" disabled={isSending} onClick={onAskNow}>
          {t("askNow")}
        </Button>
      )}
      {canMove && (
        <IconButton
          icon="grip"
          label={t("move")}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          className="cursor-grab touch-none phone:hidden"
          onPointerDown={(event) => {
            // The words on the page would be selected on the way.
            event.preventDefault();
            event.currentTarget.focus();
            order.start(line);
          }}
        />
      )}
      {kind !== "held" && (
        <IconButton
          icon={kind === "after" ? "into" : "download"}
          label={turn}
          className="phone:hidden"
          disabled={isSending}
          onClick={() => onTurn(other)}
        />
      )}
      <IconButton
        icon="pencil"
        label={t("change")}
        className="phone:hidden"
        data-change=""
        disabled={isSending}
        onClick={() => editing.begin(line)}
      />
      <IconButton
        icon="cross"
        iconSize={14}
        label={t("takeBack")}
        tipSide="right-edge"
        className="phone:hidden"
        disabled={isSending}
        onClick={onTakeBack}
      />
      <span className="hidden phone:inline-flex">
        <Menu
          align="end"
          side="top"
          trigger={{
            className: iconButtonClass,
            "aria-label": t("actions", { text: line.text.slice(0, nameChars) }),
            disabled: isSending,
            children: <Icon name="more" />,
          }}
          entries={entries}
        />
      </span>
    </>
  );
}
