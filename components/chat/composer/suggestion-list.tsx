"use client";

import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { type Suggestion, type Suggestions, type SuggestionTargets, useSuggestions } from "./use-suggestions";

export interface SuggestionListProps {
  id: string;
  text: string;
  targets: SuggestionTargets;
  /** Takes the keys of the message field. */
  keys: Ref<Suggestions["onKey"]>;
  /** Told the id of the option that Enter takes; null while there is none. */
  onActive(option: string | null): void;
}

/** What the typed text can mean, over the message field, which keeps the focus. */
export default function SuggestionList({ id, text, targets, keys, onActive }: SuggestionListProps) {
  const { items, at, onKey } = useSuggestions(text, targets);
  useImperativeHandle(keys, () => onKey, [onKey]);
  const active = items.length > 0 ? optionId(id, at) : null;
  useLayoutEffect(() => onActive(active), [active, onActive]);
  return active !== null && <List id={id} items={items} at={at} />;
}

/** Of the element that shows a suggestion in the list with this id. */
const optionId = (id: string, index: number) => `${id}-${index}`;

function List({ id, items, at }: { id: string; items: readonly Suggestion[]; at: number }) {
  const t = useTranslations("chat.library");
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what moves
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it grows, as the servers are known after the agents
  useLayoutEffect(() => fitAbove(list.current), [items.length]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t("suggest")}
      // The field keeps the focus, also while its list is scrolled.
      onMouseDown={(event) => event.preventDefault()}
      // Only while one writes: a menu of the same box opens at the same place.
      className="in-[form:not(:focus-within)]:hidden scroll-more absolute inset-x-0 bottom-full z-10 mb-1 grid max-h-[min(256px,40vh)] grid-cols-[fit-content(50%)_minmax(0,1fr)] overflow-y-auto rounded-box border border-rule-2 p-1.5 shadow-lift [scrollbar-width:thin]"
    >
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message field has the focus and takes the keys
        <div
          key={item.key}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="col-span-2 grid min-h-8 cursor-pointer grid-cols-subgrid gap-x-4 rounded-chip px-2 py-1 text-mach leading-6 aria-selected:bg-paper-3 phone:min-h-11 phone:py-2.5"
          onClick={item.take}
        >
          <b className="font-semibold wrap-anywhere">{item.label}</b>{" "}
          <span className="truncate text-ink-3">{item.note}</span>
        </div>
      ))}
    </div>
  );
}

/** The bar of the page, and a little air. */
const keptFree = 60;
const leastHeight = 96;

/** In an empty chat the field stands in the middle of the page: the list begins below its bar, with its first entry in sight. */
function fitAbove(list: HTMLElement | null): void {
  const room = (list?.offsetParent?.getBoundingClientRect().top ?? 0) - keptFree;
  if (list && room < list.offsetHeight) list.style.maxHeight = `${Math.max(leastHeight, room)}px`;
}
