"use client";

import { memo, useState } from "react";
import { cn } from "@/components/ui/cn";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import { Ring, type RingState } from "@/components/ui/ring";
import type { ConversationItem } from "@/lib/protocol/http";
import type { RenameFieldProps } from "./rename-field";
import type { RowMenuProps } from "./row-menu";
import type { Mark, RowWords } from "./use-row-words";

const rowMenu = latePart<RowMenuProps>(() => import("./row-menu"));
const renameField = latePart<RenameFieldProps>(() => import("./rename-field"));

export interface ConversationRowProps {
  item: ConversationItem;
  current: boolean;
  /** What is said at its end beside a state: nothing, the time, or the day of an older one. */
  when: "nothing" | "time" | "day";
  words: RowWords;
  /** Undefined while nobody chooses. */
  chosen: boolean | undefined;
}

/** A conversation in the sidebar. What is done with it by mouse and keys, the list hears (`useRowEvents`). */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { item, current, words, chosen } = props;
  const [renaming, setRenaming] = useState(false);
  const RenameField = useLatePart(renameField, renaming);
  if (RenameField) return <RenameField item={item} onDone={() => setRenaming(false)} />;
  const waits = item.status === "waiting";
  const chooses = chosen !== undefined;
  return (
    <div className="group relative">
      <a
        href={`/c/${item.id}`}
        data-row={item.id}
        className={cn(
          "side-row select-none row-on:bg-paper-3",
          !chooses && "phone:pr-11",
          // The menu stands beside the word, not in its place.
          waits && !chooses && "row-on:grid-cols-[16px_minmax(0,1fr)_auto_12px]",
        )}
        {...(chooses
          ? { role: "checkbox", "aria-checked": chosen }
          : { "aria-current": current ? ("page" as const) : undefined })}
      >
        {chooses ? <Box chosen={chosen} /> : <RowState item={item} words={words} />}
        <span className={cn("truncate", (waits || (current && !chooses)) && "font-semibold text-ink")}>
          {item.title}
        </span>
        <When {...props} />
      </a>
      {!chooses && <MenuButton {...props} onRename={() => setRenaming(true)} />}
    </div>
  );
});

/** In the place of the state, whose word stays at the end. */
function Box({ chosen }: { chosen: boolean }) {
  return (
    <span>
      <span
        className={cn(
          "grid size-3.5 place-items-center rounded-chip border outline-transparent",
          chosen ? "border-ink bg-ink text-on-ink" : "border-rule-2 bg-raised",
        )}
      >
        {chosen && <Icon name="check" size={12} />}
      </span>
    </span>
  );
}

function RowState({ item: { status }, words }: Pick<ConversationRowProps, "item" | "words">) {
  const mark = markOf(status);
  return <span>{mark && <Ring state={rings[mark]} size={14} label={words.state[mark]} />}</span>;
}

const rings: Record<Mark, RingState> = {
  running: "run",
  waiting: "wait",
  failed: "failed",
  interrupted: "unknown",
};

/** A run that ended well leaves no mark. */
const markOf = (status: ConversationItem["status"]): Mark | null =>
  status === "completed" || status === "stopped" ? null : status;

function When({ item, when, words, chosen }: ConversationRowProps) {
  const mark = markOf(item.status);
  const chooses = chosen !== undefined;
  if (mark === "waiting")
    return (
      // Otherwise the ring before the title says it to readers.
      <span className="text-micro font-semibold text-shu" aria-hidden={!chooses}>
        {words.state.waiting}
      </span>
    );
  return (
    <>
      {when !== "nothing" && (
        <time
          className={cn("text-micro text-ink-3", !chooses && "not-phone:row-on:invisible")}
          dateTime={item.updatedAt}
        >
          {words.at(new Date(item.updatedAt), when === "day")}
        </time>
      )}
      {chooses && mark && <span className="sr-only">{words.state[mark]}</span>}
    </>
  );
}

const preload = () => fetchAhead(rowMenu);

/** A plain button until somebody presses it: there are as many as conversations. */
function MenuButton({ item, words, onRename }: ConversationRowProps & { onRename(): void }) {
  const [wanted, setWanted] = useState<"pointer" | "key">();
  const trigger = {
    className: cn(iconButtonClass, "absolute top-0 right-0 shy"),
    "aria-label": words.menu(item.title),
    children: <Icon name="more" size={14} />,
  };
  const Menu = useLatePart(rowMenu, wanted !== undefined);
  if (Menu) return <Menu item={item} trigger={trigger} byKeyboard={wanted === "key"} onRename={onRename} />;
  return (
    <button
      type="button"
      {...trigger}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      // A key presses without a count.
      onClick={({ detail }) => setWanted(detail === 0 ? "key" : "pointer")}
    />
  );
}
