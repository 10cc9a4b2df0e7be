"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import type { Suggestions } from "./use-suggestions";

/** Over the message field, which keeps the focus and takes the keys. */
export function SuggestionList({ id, suggestions }: { id: string; suggestions: Suggestions }) {
  const t = useTranslations("chat.library");
  const { items, at } = suggestions;
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what moves
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  if (items.length === 0) return null;
  return (
    <div ref={list} id={id} role="listbox" aria-label={t("suggest")} className="suggest">
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message field has the focus and takes the keys
        <div
          key={item.key}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="suggest-item"
          onMouseDown={(event) => event.preventDefault()}
          onClick={item.take}
        >
          <b>{item.label}</b> <span>{item.note}</span>
        </div>
      ))}
    </div>
  );
}

export const optionId = (id: string, index: number) => `${id}-${index}`;
