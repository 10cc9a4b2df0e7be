"use client";

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { fieldClass } from "@/components/ui/controls/field";
import { TextButton } from "@/components/ui/controls/text-button";
import { Icon } from "@/components/ui/icon";
import { Dialog } from "@/components/ui/layers/dialog";
import { NearLink } from "@/components/ui/near-link";
import { useSentence } from "@/components/ui/words/sentences";
import { findModels } from "@/lib/client/conversation/find-models";
import type { ModelItem } from "@/lib/protocol/settings";

export interface ModelSearchProps {
  items: readonly ModelItem[];
  chosen: string | undefined;
  /** Why what was chosen cannot be used. */
  gone?: string;
  onChoose(id: string): void;
  onCompare: (() => void) | undefined;
  onClose(): void;
}

/** Rows that are drawn: what is further down is found by its name, and typing stays as quick with any number of models. */
const maxDrawn = 60;

/** Finds one of many models: a field that keeps the focus, and under it the models that fit. */
export default function ModelSearch({ items, chosen, gone, onChoose, onCompare, onClose }: ModelSearchProps) {
  const t = useTranslations("chat.composer.search");
  const common = useTranslations("common");
  const compare = useTranslations("chat.composer");
  const id = useId();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const { groups, more } = findModels(items, query, maxDrawn);
  const drawn = groups.flatMap((group) => group.items);
  const active = drawn[Math.min(at, drawn.length - 1)];
  const choose = (item: ModelItem | undefined) => {
    if (!item?.reachable) return;
    onChoose(item.id);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const moved = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (moved !== undefined)
      setAt((Math.min(at, drawn.length - 1) + moved + drawn.length) % drawn.length || 0);
    else if (event.key === "Enter") choose(active);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t("title")} closeLabel={common("close")} onClose={onClose}>
      {gone && <p className="mb-2 text-mach text-shu">{gone}</p>}
      <input
        role="combobox"
        aria-label={t("label")}
        aria-expanded={drawn.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(active && { "aria-activedescendant": `${id}-${active.id}` })}
        className={fieldClass()}
        placeholder={t("label")}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-label={t("title")}
        className="-mx-2 mt-2 h-[min(360px,50dvh)] overflow-y-auto text-mach"
        // The field keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
      >
        {groups.map(({ provider, label, items: ofGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={provider} role="group" aria-labelledby={`${id}-of-${provider}`}>
            <div
              id={`${id}-of-${provider}`}
              role="presentation"
              className="px-2 pt-2 pb-0.5 text-micro text-ink-3"
            >
              {label}
            </div>
            {ofGroup.map((item) => (
              <Option
                key={item.id}
                id={`${id}-${item.id}`}
                item={item}
                isActive={item === active}
                isChosen={item.id === chosen}
                onChoose={() => choose(item)}
              />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className="mt-2 text-micro text-ink-3">
        {drawn.length === 0 ? t("none") : more > 0 && t("more", { count: more })}
      </p>
      <p className="flex gap-4 text-micro">
        {onCompare && (
          <TextButton
            onClick={() => {
              onClose();
              setTimeout(onCompare);
            }}
          >
            {compare("compareModels")}
          </TextButton>
        )}
        <NearLink href="/settings/models" className="text-ink">
          {t("settings")}
        </NearLink>
      </p>
    </Dialog>
  );
}

interface OptionProps {
  id: string;
  item: ModelItem;
  isActive: boolean;
  isChosen: boolean;
  onChoose(): void;
}

function Option({ id, item, isActive, isChosen, onChoose }: OptionProps) {
  const t = useTranslations("chat.composer");
  const inWords = useSentence();
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  const { name, provider, reachable, reason, capabilities } = item;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={!reachable}
      className="grid min-h-7 cursor-pointer grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-x-2 rounded-chip px-2 py-1 aria-disabled:text-ink-3 aria-selected:bg-paper-3 phone:min-h-11"
      onClick={onChoose}
    >
      <span>{isChosen && <Icon name="check" size={14} />}</span>
      <span className="wrap-anywhere">
        {name}
        {isChosen && <span className="sr-only"> {t("search.chosen")}</span>}
      </span>
      {!capabilities.tools && provider !== "demo" && (
        <small className="text-[12px]/5 text-ink-3">{t("toolsAsJson")}</small>
      )}
      {!reachable && reason && (
        <small className="col-start-2 col-end-[-1] text-micro wrap-anywhere text-ink-3">
          {inWords(reason)}
        </small>
      )}
    </div>
  );
}
