"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { ModelChecks } from "@/components/chat/parts/model-checks";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { Dialog } from "@/components/ui/layers/dialog";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { ConversationStore } from "@/lib/client/conversation/conversation-store";
import { useReachable } from "@/lib/client/conversation/models";
import { pickLook } from "./pick-look";

export interface ComparePickerProps {
  conversation: ConversationStore;
  state: ConversationState;
  /** The one that the conversation uses. */
  model: string | null;
  isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
}

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
  const [picked, setPicked] = useState(before);
  const chosen = useReachable(picked);
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
      <ModelChecks
        label={t("list")}
        hideLabel
        max={maxModels}
        chosen={chosen}
        onChange={setPicked}
        className="h-[min(320px,45dvh)]"
      />
    </Dialog>
  );
}
