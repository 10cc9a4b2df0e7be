"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { fieldClass } from "@/components/ui/controls/field";
import { Icon } from "@/components/ui/icon";
import { Dialog } from "@/components/ui/layers/dialog";
import { useSentence } from "@/components/ui/words/sentences";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { ConversationStore } from "@/lib/client/conversation/conversation-store";
import { findModels } from "@/lib/client/conversation/find-models";
import { useModels } from "@/lib/client/conversation/models";
import type { ModelItem } from "@/lib/protocol/settings";
import { pickLook } from "./pick-look";

export interface ComparePickerProps {
  conversation: ConversationStore;
  state: ConversationState;
  /** The one that the conversation uses. */
  model: string | null;
  isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
}

/** Rows that are drawn: what is further down is found by its name. */
const maxDrawn = 60;
const maxModels = 3;

/** In place of the model: how many answer beside each other, and the dialog that they are chosen in. */
export default function ComparePicker({
  conversation,
  state,
  model,
  isOpen,
  onOpenChange,
}: ComparePickerProps) {
  const t = useTranslations("chat.compare");
  const { comparing, comparison } = state;
  return (
    <>
      {comparison ? (
        <span className={cn(pickLook, "hover:bg-transparent")}>
          <Icon name="columns" size={14} />
          {t("count", { count: comparison.length })}
        </span>
      ) : (
        comparing && (
          <span className="flex shrink-0 items-center">
            <button
              type="button"
              className={pickLook}
              aria-haspopup="dialog"
              aria-expanded={isOpen}
              aria-label={t("change", { count: comparing.length })}
              onClick={() => onOpenChange(true)}
            >
              <Icon name="columns" size={14} />
              {t("count", { count: comparing.length })}
            </button>
            <IconButton
              icon="cross"
              iconSize={12}
              label={t("off")}
              onClick={() => conversation.set({ comparing: null })}
            />
          </span>
        )
      )}
      {isOpen && (
        <ChooseModels
          before={comparing ?? (model === null ? [] : [model])}
          onChoose={(chosen) => conversation.set({ comparing: chosen })}
          onClose={() => onOpenChange(false)}
        />
      )}
    </>
  );
}

interface ChooseModelsProps {
  before: readonly string[];
  onChoose(ids: readonly string[]): void;
  onClose(): void;
}

function ChooseModels({ before, onChoose, onClose }: ChooseModelsProps) {
  const t = useTranslations("chat.compare");
  const common = useTranslations("common");
  const items = useModels().data?.items ?? [];
  const canUse = new Set(items.filter(({ reachable }) => reachable).map(({ id }) => id));
  const [picked, setPicked] = useState(before);
  const [query, setQuery] = useState("");
  // One may have been removed since it was chosen.
  const chosen = picked.filter((id) => canUse.has(id));
  const { groups, more } = findModels(items, query, maxDrawn);
  const submit = () => {
    if (chosen.length < 2) return;
    onChoose(chosen);
    onClose();
  };
  return (
    <Dialog
      title={t("title")}
      lede={t("lede")}
      width={480}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <p role="status" className="mr-auto self-center text-micro text-ink-2">
            {t("chosen", { count: chosen.length })}
          </p>
          <Button tone="ink" disabled={chosen.length < 2} onClick={submit}>
            {t("use")}
          </Button>
        </>
      }
    >
      <input
        className={fieldClass()}
        aria-label={t("find")}
        placeholder={t("find")}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <fieldset className="mt-2 h-[min(320px,45dvh)] overflow-y-auto text-mach">
        <legend className="sr-only">{t("list")}</legend>
        {groups.map(({ provider, label, items: ofGroup }) => (
          <div key={provider}>
            <p className="pt-2 pb-0.5 text-micro text-ink-2">{label}</p>
            {ofGroup.map((item) => (
              <Choice
                key={item.id}
                item={item}
                isChosen={chosen.includes(item.id)}
                isFull={chosen.length >= maxModels}
                onChange={(isOn) =>
                  setPicked(isOn ? [...chosen, item.id] : chosen.filter((id) => id !== item.id))
                }
              />
            ))}
          </div>
        ))}
      </fieldset>
      <p className="mt-2 text-micro text-ink-2">
        {groups.length === 0 ? t("none") : more > 0 && t("more", { count: more })}
      </p>
    </Dialog>
  );
}

interface ChoiceProps {
  item: ModelItem;
  isChosen: boolean;
  /** No more can be chosen. */
  isFull: boolean;
  onChange(isOn: boolean): void;
}

function Choice({ item, isChosen, isFull, onChange }: ChoiceProps) {
  const inWords = useSentence();
  const { name, reachable, reason } = item;
  const isOff = !reachable || (isFull && !isChosen);
  return (
    <label
      className={cn(
        "flex min-h-7 items-baseline gap-2 rounded-chip px-1 py-1 phone:min-h-11 phone:items-center",
        isOff ? "text-ink-2" : "cursor-pointer hover:bg-paper-3",
      )}
    >
      <input
        type="checkbox"
        className="translate-y-0.5"
        checked={isChosen}
        disabled={isOff}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0 wrap-anywhere">
        {name}
        {!reachable && reason && <small className="block text-micro">{inWords(reason)}</small>}
      </span>
    </label>
  );
}
