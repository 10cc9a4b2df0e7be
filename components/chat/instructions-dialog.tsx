"use client";

import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { InstructionsField, isTooLong } from "@/components/ui/controls/instructions-field";
import { Dialog } from "@/components/ui/layers/dialog";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";

export interface InstructionsDialogProps {
  chat: ChatStore;
  state: ConversationState;
  onClose(): void;
}

/** What the models are told in this conversation alone. Where it cannot be stored, the text stays and the page says why. */
export default function InstructionsDialog({ chat, state, onClose }: InstructionsDialogProps) {
  const t = useTranslations("chat.instructions");
  const common = useTranslations("common");
  const form = useId();
  const [text, setText] = useState(state.choice?.instructions ?? "");
  const [failed, setFailed] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isTooLong(text)) return;
    const done = await chat.changes.choose({ instructions: text.trim() === "" ? null : text });
    setFailed(!done);
    if (done) onClose();
  };
  return (
    <Dialog
      title={t("title")}
      lede={t("lede")}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form}>
            {t("save")}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={save} noValidate>
        <InstructionsField label={t("label")} hint={t("hint")} value={text} onChange={setText} rows={8} />
        {failed && (
          <p role="alert" className="mt-2 text-mach text-shu">
            {t("failed")}
          </p>
        )}
      </form>
    </Dialog>
  );
}
