"use client";

import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { assistantActions } from "@/lib/client/conversation/assistants";
import type { Assistant } from "@/lib/protocol/assistants";

export interface DeleteDialogProps {
  assistant: Assistant;
  onClose(): void;
  onDeleted(): void;
}

export default function DeleteDialog({ assistant: { id, name }, onClose, onDeleted }: DeleteDialogProps) {
  const t = useTranslations("settings.assistants");
  const common = useTranslations("common");
  const act = useAct();
  const remove = async () => {
    if (!(await act(() => assistantActions.remove(id)))) return;
    onClose();
    onDeleted();
    notify(t("deleted", { name }));
  };
  return (
    <Dialog
      title={t("deleteTitle", { name })}
      closeLabel={common("close")}
      width={440}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" onClick={remove}>
            {t("delete")}
          </Button>
        </>
      }
    >
      <p className="text-mach text-ink-2">{t("deleteText")}</p>
    </Dialog>
  );
}
