"use client";

import Link from "next/link";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Ring, type RingState } from "@/components/ui/ring";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeConversation } from "@/lib/client/conversation/conversations";
import type { ConversationItem } from "@/lib/protocol/http";
import { RowMenu } from "./row-menu";
import { dragged } from "./use-move";

export interface ConversationRowProps {
  item: ConversationItem;
  current: boolean;
  withTime: boolean;
}

export function ConversationRow({ item, current, withTime }: ConversationRowProps) {
  const [renaming, setRenaming] = useState(false);
  if (renaming) return <RenameField item={item} onDone={() => setRenaming(false)} />;
  const waits = item.status === "waiting";
  return (
    <div className="group relative">
      <Link
        href={`/c/${item.id}`}
        prefetch={false}
        className={cn(
          "side-row row-on:bg-paper-3 phone:pr-11",
          // The menu stands beside the word, not in its place.
          waits && "row-on:grid-cols-[16px_minmax(0,1fr)_auto_12px]",
        )}
        aria-current={current ? "page" : undefined}
        {...dragged(item)}
      >
        <RowState item={item} />
        <span className={cn("truncate", (waits || current) && "font-semibold text-ink")}>{item.title}</span>
        <When item={item} withTime={withTime} />
      </Link>
      <RowMenu item={item} current={current} onRename={() => setRenaming(true)} />
    </div>
  );
}

function RowState({ item }: { item: ConversationItem }) {
  const t = useTranslations("shell");
  const [state, word] = ringOf(item);
  return <span>{state && <Ring state={state} size={14} label={t(word)} />}</span>;
}

/** A run that ended well leaves no mark. */
function ringOf({
  status,
}: ConversationItem): [RingState | null, "running" | "waiting" | "failed" | "interrupted"] {
  switch (status) {
    case "running":
      return ["run", "running"];
    case "waiting":
      return ["wait", "waiting"];
    case "failed":
      return ["failed", "failed"];
    case "interrupted":
      return ["unknown", "interrupted"];
    case "completed":
    case "stopped":
    case null:
      return [null, "running"];
  }
}

function When({ item, withTime }: { item: ConversationItem; withTime: boolean }) {
  const t = useTranslations("shell");
  const format = useFormatter();
  // The ring before the title says it to readers.
  if (item.status === "waiting")
    return (
      <span className="text-micro font-semibold text-shu" aria-hidden="true">
        {t("waiting")}
      </span>
    );
  if (!withTime) return null;
  const at = new Date(item.updatedAt);
  return (
    <time className="text-micro text-ink-3 not-phone:row-on:invisible" dateTime={item.updatedAt}>
      {format.dateTime(at, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })}
    </time>
  );
}

function RenameField({ item, onDone }: { item: ConversationItem; onDone(): void }) {
  const t = useTranslations("shell");
  const errorText = useErrorText();
  const save = (title: string) => {
    onDone();
    if (title && title !== item.title)
      changeConversation(item.id, { title }).catch((error) => notifyFailure(errorText(error)));
  };
  return (
    <input
      // As high as the row, its first letter where the title was: nothing moves.
      className="ml-6 block h-7 w-[calc(100%-24px)] rounded-control border border-rule-2 bg-raised px-[7px] text-mach text-ink phone:h-11 phone:text-[16px]"
      aria-label={t("renameField")}
      defaultValue={item.title}
      maxLength={200}
      ref={(field) => field?.select()}
      onBlur={(event) => save(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") save(event.currentTarget.value.trim());
        if (event.key === "Escape") onDone();
      }}
    />
  );
}
